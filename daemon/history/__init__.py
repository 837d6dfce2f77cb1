"""The history of browsers: where it lies, how it comes into the index, and what of it stays out."""
