-- The schema of capsa's database. To change it: add a migration to migrations.py, change this file to match (a test
-- compares the two), raise the version and say below what changed.
--
-- Version 1: the first.
-- Version 2: documents tell of wall time, scanned pages and pages read by OCR; recognised, attempts, three triggers.
-- Version 3: visited pages and saved copies of them: origins, pages, visits, queries, exports, forgotten, captures.
-- Version 4: codes lie in blocks; codes, blocks, vectors without the code and by chunk.
-- Version 5: blocks hold all that is known of a vector, and the table of vectors is gone.
--
-- PRAGMA user_version holds the version; a program refuses a database of a newer one and leaves it untouched.

-- Single values: model (JSON of ModelMark), codebook (bytes, when its code was trained), change (counts commits), cache
-- (JSON of the FAISS file's record), keywords (fingerprint of the code that makes the keyword texts), wipe (removed text is still in free pages),
-- doubts (JSON: since when the missing files of a source are in doubt), pace (JSON: how fast runs were), paused (JSON: ids of sources).
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;

-- Where documents come from.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    path BLOB NOT NULL UNIQUE,          -- os.fsencode of the absolute path
    added_at REAL NOT NULL
);

-- One indexed thing. Its id stays through edits and renames and is never given again.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL,
    uri TEXT NOT NULL UNIQUE,
    path BLOB,                          -- NULL for what is no file
    site TEXT,                          -- host of a web address
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    modified REAL NOT NULL,             -- seconds since 1970
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
    metadata TEXT NOT NULL,             -- JSON: metadata and notes of the parser
    outline BLOB NOT NULL,              -- heading tree, see outline.py; chunks.heading points into it
    layout_wall_ms REAL NOT NULL DEFAULT 0,
    scanned_pages INTEGER NOT NULL DEFAULT 0,   -- pages that are images without text
    ocr_pages INTEGER NOT NULL DEFAULT 0        -- those of them whose text was recognised
);

-- Every path ever looked at, so that an unchanged file is left alone and a bad one is told.
CREATE TABLE files (
    path BLOB PRIMARY KEY,              -- Entry.key
    source_id INTEGER NOT NULL,
    document_id INTEGER,                -- NULL unless status is indexed
    status TEXT NOT NULL,               -- indexed, skipped or failed
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    parser_version TEXT NOT NULL,
    pending INTEGER NOT NULL            -- 1 while a chunk lacks a vector
) WITHOUT ROWID;
CREATE INDEX files_by_document ON files (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX files_by_hash ON files (content_hash) WHERE document_id IS NOT NULL;

-- A document's text, once, as zstandard frames of UTF-8. Parts keep a chunk of a huge document cheap to read.
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    document_id INTEGER NOT NULL,
    start INTEGER NOT NULL,             -- offset of the part's first character
    blob BLOB NOT NULL
);
CREATE INDEX texts_by_document ON texts (document_id, start);

-- What is retrieved: document.text[start:end]. The id stays as long as key does, and is never given again.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    core_start INTEGER NOT NULL,
    kind INTEGER NOT NULL,              -- rows.KINDS
    heading INTEGER NOT NULL,           -- node of documents.outline, 0 for none
    page_first INTEGER,
    page_last INTEGER,
    key INTEGER NOT NULL                -- 64-bit hash of what the keyword index holds for the chunk
);
CREATE INDEX chunks_by_document ON chunks (document_id);

-- The vectors that are newer than the FAISS file, one per window of a chunk.
CREATE TABLE codes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given again
    chunk_id INTEGER NOT NULL,
    key INTEGER NOT NULL,               -- 64-bit hash of the embedded text
    code BLOB NOT NULL
);
CREATE UNIQUE INDEX codes_by_chunk ON codes (chunk_id, key);

-- All vectors that the FAISS file is of, many in a row, in the order of their ids. See blocks.py.
CREATE TABLE blocks (
    last INTEGER PRIMARY KEY,           -- the highest of the ids
    first_chunk INTEGER NOT NULL,       -- the lowest and the highest of chunks
    last_chunk INTEGER NOT NULL,
    ids BLOB NOT NULL,                  -- packed, see packing.py
    chunks BLOB NOT NULL,               -- their chunks' ids, packed
    keys BLOB NOT NULL,                 -- 8 bytes each, little-endian
    codes BLOB NOT NULL                 -- one after the other
);
CREATE INDEX blocks_by_chunk ON blocks (last_chunk, first_chunk);

-- Vectors deleted since the FAISS file was written: those of them that it has are in the blocks until the next one.
CREATE TABLE removed_vectors (
    id INTEGER PRIMARY KEY
);

-- rowid is chunks.id. Contentless: a row is deleted by giving exactly the text that was indexed, which
-- keywords.py recomputes from texts and outline (contentless_delete would need SQLite 3.43).
CREATE VIRTUAL TABLE keywords USING fts5 (
    crumb,
    body,
    content = '',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (keywords, row);

-- What was recognised on the pages of scans, kept by the file's content: it takes seconds a page. It goes with the last
-- file of that content.
CREATE TABLE recognised (
    content_hash BLOB NOT NULL,
    page INTEGER NOT NULL,              -- from 1
    engine TEXT NOT NULL,               -- ocr.ENGINE; pages of another one are recognised anew
    lines BLOB NOT NULL,                -- zstandard frame of the JSON of ocr.dump_page
    PRIMARY KEY (content_hash, page)
) WITHOUT ROWID;

-- Documents that were begun to be finished (see unfinished.py) and are not: a row without detail is one that is worked
-- on, or at which the program was killed.
CREATE TABLE attempts (
    document_id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,              -- content and limits of the attempt; with others it is tried again
    tries INTEGER NOT NULL,
    detail TEXT NOT NULL
);

-- Who told of visits: a browser, and the device of it ("" for the one that the export was made on).
CREATE TABLE origins (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    browser TEXT NOT NULL,
    device TEXT NOT NULL,
    UNIQUE (browser, device)
);

-- What is known of a document of the kind page beside its text. Times are microseconds since 1970.
CREATE TABLE pages (
    document_id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,                  -- the newest address, fit to be opened; documents.uri is what all of them share
    titled_at INTEGER NOT NULL,         -- when the title was told: a newer one replaces it
    first INTEGER,                      -- of the visits, NULL when there are none
    last INTEGER,
    visits INTEGER NOT NULL,            -- how often it was visited: rows of visits, or told when that is more
    told INTEGER NOT NULL,              -- the number that an export gave which does not tell each visit
    kept_at INTEGER,                    -- as a bookmark; NULL when it was not, or nobody knows when
    tags TEXT NOT NULL,                 -- JSON: list
    folders TEXT NOT NULL               -- JSON: list
);

CREATE TABLE visits (
    document_id INTEGER NOT NULL,
    time INTEGER NOT NULL,
    origin_id INTEGER NOT NULL,
    PRIMARY KEY (document_id, time)
) WITHOUT ROWID;

-- What was typed into search engines: their result pages are no documents.
CREATE TABLE queries (
    site TEXT NOT NULL,
    text TEXT NOT NULL,
    time INTEGER NOT NULL,
    origin_id INTEGER NOT NULL,
    PRIMARY KEY (site, text, time)
) WITHOUT ROWID;

-- The exports that were read, and the profiles of browsers that are followed.
CREATE TABLE exports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL UNIQUE,          -- os.fsencode of the absolute path
    format TEXT NOT NULL,
    browser TEXT NOT NULL,
    device TEXT NOT NULL,
    state TEXT NOT NULL,                -- of its files when it was read: the same again need not be read
    read_at REAL NOT NULL,              -- seconds since 1970
    counts TEXT NOT NULL,               -- JSON: what became of its entries
    followed INTEGER NOT NULL           -- 1 when the background process reads it again and again
);

-- What was forgotten and must not come back with the next export. A host is only kept as a hash.
CREATE TABLE forgotten (
    host BLOB NOT NULL,                 -- empty for all hosts
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (host, since, until)
) WITHOUT ROWID;

-- The saved copies of a page; the newest one is its document's text. A file may hold many pages.
CREATE TABLE captures (
    path BLOB NOT NULL,                 -- files.path of the file it lies in
    uri TEXT NOT NULL,                  -- documents.uri
    captured INTEGER NOT NULL,          -- microseconds since 1970
    content_hash BLOB NOT NULL,         -- of the page
    PRIMARY KEY (path, uri)
) WITHOUT ROWID;
CREATE INDEX captures_by_uri ON captures (uri, captured);

CREATE TRIGGER forget_pages AFTER DELETE ON documents BEGIN
    DELETE FROM pages WHERE document_id = OLD.id;
    DELETE FROM visits WHERE document_id = OLD.id;
END;
CREATE TRIGGER forget_attempts AFTER DELETE ON documents BEGIN
    DELETE FROM attempts WHERE document_id = OLD.id;
END;
CREATE TRIGGER forget_recognised AFTER DELETE ON files BEGIN
    DELETE FROM recognised WHERE content_hash = OLD.content_hash AND NOT EXISTS (
        SELECT 1 FROM files WHERE content_hash = OLD.content_hash AND document_id IS NOT NULL
    );
END;
CREATE TRIGGER forget_recognised_of_old_content AFTER UPDATE OF content_hash, document_id ON files
WHEN OLD.content_hash != NEW.content_hash OR NEW.document_id IS NULL BEGIN
    DELETE FROM recognised WHERE content_hash = OLD.content_hash AND NOT EXISTS (
        SELECT 1 FROM files WHERE content_hash = OLD.content_hash AND document_id IS NOT NULL
    );
END;
