"""What assistants may ask, over the Model Context Protocol: read only, bounded, marked as untrusted."""
