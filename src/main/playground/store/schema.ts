/**
 * Version 1. `key`s are SQLite's own, in the order in which things were made; ids are those of the contract. What is JSON has the contract's shape.
 * `messages.run`: an answer's; a message without one is the person's. `shown`: which child (of a conversation: which first message) is in the shown
 * branch. `owner`, `removed_by`: see owners.ts. `found` is text to be searched, by message or, negative, by conversation.
 */
const firstSchema = `
CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), set_aside TEXT NOT NULL, wire_bytes INTEGER NOT NULL);
INSERT INTO state VALUES (1, '', 0);

CREATE TABLE owners (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  instance TEXT NOT NULL UNIQUE,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  opened_at INTEGER NOT NULL
);

CREATE TABLE conversations (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  is_pinned INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  shown INTEGER,
  removed_by INTEGER,
  model TEXT,
  title TEXT NOT NULL,
  setup TEXT NOT NULL
);
CREATE INDEX conversations_order ON conversations (is_pinned, updated_at, key);
CREATE INDEX conversations_removed ON conversations (removed_by) WHERE removed_by IS NOT NULL;

CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER,
  is_loose INTEGER NOT NULL,
  record TEXT NOT NULL,
  answer TEXT NOT NULL
);
CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_loose ON runs (key) WHERE is_loose = 1;

CREATE TABLE wires (
  run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  wire BLOB NOT NULL
);
CREATE TRIGGER wires_come AFTER INSERT ON wires BEGIN UPDATE state SET wire_bytes = wire_bytes + new.bytes; END;
CREATE TRIGGER wires_go AFTER DELETE ON wires BEGIN UPDATE state SET wire_bytes = wire_bytes - old.bytes; END;

CREATE TABLE messages (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
  parent INTEGER,
  shown INTEGER,
  run INTEGER REFERENCES runs,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX messages_tree ON messages (conversation, parent, shown, run, id);
CREATE INDEX messages_run ON messages (run) WHERE run IS NOT NULL;
CREATE VIRTUAL TABLE found USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
);

CREATE TABLE contents (key INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, content BLOB NOT NULL);
CREATE TABLE attachments (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  content INTEGER NOT NULL REFERENCES contents,
  owner INTEGER NOT NULL,
  facts TEXT NOT NULL
);
CREATE INDEX attachments_content ON attachments (content);
CREATE TABLE named_attachments (
  message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
  attachment INTEGER NOT NULL REFERENCES attachments,
  PRIMARY KEY (message, attachment)
) WITHOUT ROWID;
CREATE INDEX named_attachments_back ON named_attachments (attachment);
CREATE TABLE drafts (key TEXT PRIMARY KEY, draft TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE comparisons (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  is_pinned INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  columns INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  removed_by INTEGER,
  title TEXT NOT NULL,
  setup TEXT NOT NULL
);
CREATE TABLE cells (
  comparison INTEGER NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  column_id TEXT NOT NULL,
  case_id TEXT NOT NULL,
  run INTEGER NOT NULL REFERENCES runs,
  asked TEXT NOT NULL,
  PRIMARY KEY (comparison, column_id, case_id)
) WITHOUT ROWID;
CREATE INDEX cells_run ON cells (run);

CREATE TABLE prompts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  updated_at INTEGER NOT NULL,
  removed_by INTEGER,
  name TEXT NOT NULL,
  tags TEXT NOT NULL
);
CREATE TABLE prompt_versions (
  prompt INTEGER NOT NULL REFERENCES prompts ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (prompt, number)
) WITHOUT ROWID;
`

/**
 * What makes version n + 1 of a file of version n, by n. A row is never changed: files made by it are out there. A member that the contract adds to
 * what is kept as JSON is a row too (an empty one), so that an app that does not know it leaves the file alone.
 */
export const migrations: readonly string[] = [firstSchema]
