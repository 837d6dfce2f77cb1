"""The running daemon's socket: who listens, who asks, and what is said between them."""
