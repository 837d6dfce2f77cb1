"""Questions with evidence in, recall out."""
