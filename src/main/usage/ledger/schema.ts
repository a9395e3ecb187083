/**
 * Version 1. Texts are kept once (`texts`; 0 is "not known"), and what requests have in common once (`slices`). `grouping`: see groupings.ts.
 * `t` is a quarter of an hour (UTC) in `slot_sums` and a local day in `day_sums`, numbered from 1970.
 */
const firstSchema = `
CREATE TABLE state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  zone TEXT NOT NULL,
  generation INTEGER NOT NULL,
  pruned_before INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  next_id INTEGER NOT NULL,
  set_aside TEXT NOT NULL
);
INSERT INTO state VALUES (1, '', 1, 0, 0, 1, '');

CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
INSERT INTO texts VALUES (0, '');

CREATE TABLE slices (
  id INTEGER PRIMARY KEY,
  grouping INTEGER NOT NULL,
  plan INTEGER NOT NULL,
  key INTEGER NOT NULL,
  tool INTEGER NOT NULL,
  model INTEGER NOT NULL,
  error INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  UNIQUE (grouping, plan, key, tool, model, error, origin)
);

CREATE INDEX slices_tool ON slices (grouping, tool, model, origin);

CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  slice INTEGER NOT NULL,
  name TEXT NOT NULL,
  mark INTEGER NOT NULL,
  answer INTEGER,
  standard INTEGER NOT NULL,
  input INTEGER,
  output INTEGER,
  cache_read INTEGER,
  cache_write INTEGER,
  status INTEGER,
  first_byte INTEGER,
  duration INTEGER,
  twin INTEGER
);
CREATE INDEX requests_at ON requests (at);
CREATE INDEX requests_day ON requests (at / 86400000, slice);
CREATE INDEX requests_mark ON requests (mark);
CREATE INDEX requests_answer ON requests (answer) WHERE answer IS NOT NULL;
CREATE INDEX requests_unanswered ON requests (at) WHERE answer IS NULL;
CREATE INDEX requests_twin ON requests (twin) WHERE twin IS NOT NULL;

CREATE TABLE slot_sums (
  grouping INTEGER NOT NULL,
  t INTEGER NOT NULL,
  slice INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache INTEGER NOT NULL,
  PRIMARY KEY (grouping, t, slice)
) WITHOUT ROWID;

CREATE TABLE day_sums (
  grouping INTEGER NOT NULL,
  t INTEGER NOT NULL,
  slice INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache INTEGER NOT NULL,
  PRIMARY KEY (grouping, t, slice)
) WITHOUT ROWID;

CREATE TABLE pruned_ids (mark INTEGER PRIMARY KEY, tool INTEGER NOT NULL);
CREATE TABLE log_positions (tool TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (tool, path)) WITHOUT ROWID;
`

/** Every table that a person's figures are in. */
export const tablesOfFigures = [
  'requests',
  'slot_sums',
  'day_sums',
  'slices',
  'texts',
  'pruned_ids',
  'log_positions',
] as const

/** What makes version n + 1 of a file of version n, by n. A row is never changed: files made by it are out there. */
export const migrations: readonly string[] = [firstSchema]
