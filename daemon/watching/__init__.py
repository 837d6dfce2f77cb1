"""What changes on the disk while the daemon runs: watched where the system can, polled where it cannot."""
