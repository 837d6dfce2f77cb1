"""From a file to blocks to chunks: pure functions that know no database and no network."""
