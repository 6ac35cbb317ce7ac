"""The settings of an experiment in domain units: links, path, TCP and traffic, with their bounds."""
