"""The page that ``capsa open`` serves on this machine, for this user, for as long as the command runs."""
