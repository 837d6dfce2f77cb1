CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;
CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    path BLOB NOT NULL UNIQUE,
    added_at REAL NOT NULL
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL,
    uri TEXT NOT NULL UNIQUE,
    path BLOB,
    site TEXT,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    modified REAL NOT NULL,
    indexed_at REAL NOT NULL,
    pages INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    parser TEXT NOT NULL,
    chunker TEXT NOT NULL,
    layout_state TEXT NOT NULL,
    layout_pages INTEGER NOT NULL,
    layout_ms REAL NOT NULL,
    layout_reason TEXT NOT NULL,
    characters INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    outline BLOB NOT NULL
);
CREATE TABLE files (
    path BLOB PRIMARY KEY,
    source_id INTEGER NOT NULL,
    document_id INTEGER,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    parser_version TEXT NOT NULL,
    pending INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_by_document ON files (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX files_by_hash ON files (content_hash) WHERE document_id IS NOT NULL;
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    document_id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    blob BLOB NOT NULL
);
CREATE INDEX texts_by_document ON texts (document_id, start);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    core_start INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    heading INTEGER NOT NULL,
    page_first INTEGER,
    page_last INTEGER,
    key INTEGER NOT NULL
);
CREATE INDEX chunks_by_document ON chunks (document_id);
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk_id INTEGER NOT NULL,
    key INTEGER NOT NULL,
    code BLOB NOT NULL
);
CREATE INDEX vectors_by_chunk ON vectors (chunk_id);
CREATE TABLE removed_vectors (
    id INTEGER PRIMARY KEY
);
CREATE VIRTUAL TABLE keywords USING fts5 (
    crumb,
    body,
    content = '',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (keywords, row);
