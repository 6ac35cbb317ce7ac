"""What the patches change in TCP-Linux, its audit, and the congestion controls beside their laws."""
