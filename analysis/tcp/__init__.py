"""Changes of TCP-Linux by the patches, its audit, and the congestion controls beside their laws."""
