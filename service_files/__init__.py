"""Service definitions for systemd, launchd and the Windows Task Scheduler."""
