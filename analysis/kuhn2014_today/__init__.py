"""The conclusions of Kuhn et al. 2014 for TCP of 2009 and of today."""
