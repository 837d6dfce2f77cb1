"""The running program: sources, indexing, the command line."""
