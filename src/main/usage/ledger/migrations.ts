const sumColumnsDefinition = `(
  grouping INTEGER NOT NULL,
  t INTEGER NOT NULL,
  slice INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache INTEGER NOT NULL,
  PRIMARY KEY (grouping, t, slice)
) WITHOUT ROWID`

/**
 * Version 1. Texts and slices (shared dimensions) are stored once; text 0 is "not known". `grouping`: see
 * store.ts. `t` is a quarter of an hour (UTC) in `slot_sums` and a local day in `day_sums`, numbered from 1970.
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

CREATE TABLE slot_sums ${sumColumnsDefinition};
CREATE TABLE day_sums ${sumColumnsDefinition};

CREATE TABLE pruned_ids (mark INTEGER PRIMARY KEY, tool INTEGER NOT NULL);
CREATE TABLE log_positions (tool TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (tool, path)) WITHOUT ROWID;
`

/** Version 2: marks requests with estimated token counts. */
const secondSchema = 'ALTER TABLE requests ADD COLUMN estimated INTEGER'

/**
 * Version 3: adds the project to slices. Requests of older versions have no known project. An empty zone makes
 * `Store.setZone` compute the daily sums of the new groupings. The default lets running processes of an older version
 * insert slices.
 */
const thirdSchema = `
CREATE TABLE project_slices (
  id INTEGER PRIMARY KEY,
  grouping INTEGER NOT NULL,
  plan INTEGER NOT NULL,
  key INTEGER NOT NULL,
  tool INTEGER NOT NULL,
  model INTEGER NOT NULL,
  error INTEGER NOT NULL,
  project INTEGER NOT NULL DEFAULT 0,
  origin INTEGER NOT NULL,
  UNIQUE (grouping, plan, key, tool, model, error, project, origin)
);
INSERT INTO project_slices (id, grouping, plan, key, tool, model, error, project, origin)
  SELECT id, grouping, plan, key, tool, model, error, iif(grouping = 1, 0, -1), origin FROM slices;
DROP TABLE slices;
ALTER TABLE project_slices RENAME TO slices;
CREATE INDEX slices_tool ON slices (grouping, tool, model, origin);
UPDATE state SET zone = '', generation = generation + 1;
`

/** Migration from version n at index n. Never change an entry, because files with it exist. */
export const migrations: readonly string[] = [firstSchema, secondSchema, thirdSchema]
