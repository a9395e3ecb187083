import { AppError } from '@shared/failure'
import { z } from 'zod'
import { type Query, RawSql } from './sql'

/** Name of the database schema. A database contains one lead space. */
export const schemaName = 'companion_team'

/** Schema version of this app. Versions up to 4 were team spaces with members and usage. */
export const schemaVersion = 6

/** First schema version without members, usage and budgets. */
const leadSpaceVersion = 5

/** The database role of all leads. Roles are global to the server, so the name contains the space's id. */
function roleName(spaceId: string, kind: 'lead' | 'member' = 'lead'): string {
  const mark = spaceId.replaceAll('-', '').slice(0, 16)
  if (!/^[0-9a-f]{16}$/.test(mark)) throw new Error('The id of a space must be a UUID.')
  return `companion_${kind}_${mark}`
}
const keyColumns = `
  place text NOT NULL CHECK (char_length(place) BETWEEN 1 AND 500),
  plan_id text NOT NULL CHECK (char_length(plan_id) BETWEEN 1 AND 200),
  key_id text NOT NULL CHECK (char_length(key_id) BETWEEN 1 AND 200),
  plan_name text NOT NULL CHECK (char_length(plan_name) <= 200),
  key_name text NOT NULL CHECK (char_length(key_name) <= 200),`

/**
 * Base tables. `me()` returns the person of the signed-in database user, whatever role is set. Versions in `holdings`
 * prevent overwriting unseen changes. A key has at most one open rotation, which only the owner of its lease may
 * change. All times come from the database clock. Each audit line contains the digest of the previous line.
 */
const baseSchema = `
CREATE TABLE kysely_migration (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL);
CREATE TABLE space (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE people (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  db_user text NOT NULL UNIQUE,
  role text NOT NULL DEFAULT 'lead',
  added_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz
);
CREATE UNIQUE INDEX people_name ON people (lower(name));

CREATE TABLE machines (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid uuid NOT NULL UNIQUE,
  person integer NOT NULL REFERENCES people,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  joined_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  left_at timestamptz
);

CREATE FUNCTION me() RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  $$ SELECT id FROM ${schemaName}.people WHERE db_user = session_user AND removed_at IS NULL $$;
CREATE FUNCTION is_lead() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  $$ SELECT EXISTS (SELECT FROM ${schemaName}.people WHERE db_user = session_user AND removed_at IS NULL AND role = 'lead') $$;

CREATE FUNCTION join_machine(its_uid uuid, its_name text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found integer;
BEGIN
  IF ${schemaName}.me() IS NULL THEN RAISE insufficient_privilege; END IF;
  INSERT INTO ${schemaName}.machines AS m (uid, person, name) VALUES (its_uid, ${schemaName}.me(), its_name)
    ON CONFLICT (uid) DO UPDATE SET name = excluded.name, seen_at = now(), left_at = NULL
    WHERE m.person = ${schemaName}.me() RETURNING id INTO found;
  IF found IS NULL THEN RAISE insufficient_privilege; END IF;
  RETURN found;
END $$;

CREATE TABLE holdings (${keyColumns}
  created_at text CHECK (char_length(created_at) <= 40),
  holder_kind text CHECK (holder_kind IN ('person', 'tool')),
  holder_name text CHECK (char_length(holder_name) <= 100),
  purpose text CHECK (char_length(purpose) <= 200),
  machine text CHECK (char_length(machine) <= 100),
  handed_out_at text CHECK (char_length(handed_out_at) <= 40),
  acknowledged_at text CHECK (char_length(acknowledged_at) <= 40),
  rotated_at text CHECK (char_length(rotated_at) <= 40),
  also_serves text[] NOT NULL DEFAULT '{}' CHECK (cardinality(also_serves) <= 1000),
  is_removed boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  changed_at timestamptz NOT NULL DEFAULT now(),
  changed_by integer,
  PRIMARY KEY (place, plan_id, key_id)
);

CREATE FUNCTION stamp_holding() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.version := CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE OLD.version + 1 END;
  NEW.changed_at := clock_timestamp();
  NEW.changed_by := ${schemaName}.me();
  RETURN NEW;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON holdings FOR EACH ROW EXECUTE FUNCTION stamp_holding();

CREATE TABLE conflicts (
  id text PRIMARY KEY CHECK (char_length(id) = 64),
  place text NOT NULL,
  plan_id text NOT NULL,
  key_id text NOT NULL,
  mine jsonb NOT NULL CHECK (pg_column_size(mine) <= 65536),
  theirs jsonb NOT NULL CHECK (pg_column_size(theirs) <= 65536),
  person integer NOT NULL DEFAULT ${schemaName}.me() REFERENCES people,
  theirs_by integer REFERENCES people,
  at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  resolved_by integer REFERENCES people,
  kept text CHECK (kept IN ('mine', 'theirs'))
);

CREATE TABLE rotations (id uuid PRIMARY KEY,${keyColumns}
  new_key_name text NOT NULL CHECK (char_length(new_key_name) <= 200),
  new_key_id text CHECK (char_length(new_key_id) <= 200),
  was_active boolean NOT NULL,
  direction text NOT NULL CHECK (direction IN ('forward', 'back')),
  state text NOT NULL CHECK (char_length(state) <= 20),
  step text CHECK (char_length(step) <= 20),
  grace_ms bigint NOT NULL,
  delete_at text CHECK (char_length(delete_at) <= 40),
  disable_by text CHECK (char_length(disable_by) <= 40),
  person integer NOT NULL REFERENCES people,
  machine integer NOT NULL REFERENCES machines,
  fence integer NOT NULL DEFAULT 1,
  started_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE UNIQUE INDEX rotations_open ON rotations (place, plan_id, key_id) WHERE ended_at IS NULL;

CREATE TABLE audit (
  number bigint PRIMARY KEY,
  at text NOT NULL CHECK (char_length(at) <= 40),
  person integer NOT NULL,
  machine integer NOT NULL,
  what text NOT NULL CHECK (char_length(what) <= 60),
  plan_name text NOT NULL CHECK (char_length(plan_name) <= 300),
  key_name text NOT NULL CHECK (char_length(key_name) <= 300),
  subject text NOT NULL CHECK (char_length(subject) <= 300),
  source_number bigint NOT NULL,
  source_digest text NOT NULL CHECK (char_length(source_digest) = 64),
  previous text NOT NULL,
  hash text NOT NULL,
  UNIQUE (machine, source_digest)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'The audit trail is only added to.' USING ERRCODE = 'insufficient_privilege'; END $$;
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
  $$ BEGIN PERFORM pg_notify('${schemaName}', TG_ARGV[0]); RETURN NULL; END $$;
${['holdings', 'conflicts', 'rotations', 'people'].map((table) => createNotifyTrigger(table, 'INSERT OR UPDATE OR DELETE')).join('\n')}
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schemaName} FROM PUBLIC;
${['space', 'people', 'machines', 'holdings', 'conflicts', 'rotations', 'audit'].map(createLeadPolicySql).join('\n')}
`

function createNotifyTrigger(table: string, event: string): string {
  return `DROP TRIGGER IF EXISTS tell ON ${table};
CREATE TRIGGER tell AFTER ${event} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION tell('${table}');`
}

function createLeadPolicySql(table: string): string {
  return `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS leads ON ${table};
CREATE POLICY leads ON ${table} USING ((SELECT ${schemaName}.is_lead())) WITH CHECK ((SELECT ${schemaName}.is_lead()));`
}

/** Drops members, usage and budgets of version 4 and older. */
const teamSpaceRemovalSql = (member: string): string => `
${['space', 'people', 'machines', 'holdings', 'audit'].map((table) => `DROP POLICY IF EXISTS own ON ${table};\nDROP POLICY IF EXISTS everybody ON ${table};`).join('\n')}
DROP TABLE IF EXISTS budgets, usage_hours, usage_sums, dimensions CASCADE;
DROP FUNCTION IF EXISTS budget_used(uuid, uuid), push_usage(uuid, jsonb), add_sums(), ensure_month(timestamptz), my_name(), invite(text, text, text);
ALTER TABLE space DROP COLUMN IF EXISTS zone;
ALTER TABLE people ALTER COLUMN role SET DEFAULT 'lead';
UPDATE people SET removed_at = now() WHERE role = 'member' AND removed_at IS NULL;
REVOKE ALL ON ALL TABLES IN SCHEMA ${schemaName} FROM ${member};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schemaName} FROM ${member};
REVOKE ALL ON SCHEMA ${schemaName} FROM ${member};
DROP ROLE ${member};
`

/**
 * Idempotent SQL. Functions grant and revoke the lead role as the space's owner, because since PostgreSQL 16 only the
 * grantor of a role can revoke it. Confirmation codes are stored as digests, so that a lead can enter the code of
 * another lead's key. Table `uses`: keys that tools of a computer use. Table `switches`: a computer's reports on
 * rotations of other computers.
 */
const createLeadSchemaSql = (lead: string): string => `
CREATE OR REPLACE FUNCTION invite(its_name text, its_user text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found integer;
BEGIN
  IF EXISTS (SELECT FROM ${schemaName}.people) AND NOT ${schemaName}.is_lead() THEN RAISE insufficient_privilege; END IF;
  INSERT INTO ${schemaName}.people AS p (name, db_user, role) VALUES (its_name, its_user, 'lead')
    ON CONFLICT (db_user) DO UPDATE SET name = excluded.name, role = 'lead', removed_at = NULL
    RETURNING id INTO found;
  EXECUTE format('GRANT ${lead} TO %I', its_user);
  RETURN found;
END $$;

CREATE OR REPLACE FUNCTION remove_person(its_id integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE its_user text;
BEGIN
  IF NOT ${schemaName}.is_lead() THEN RAISE insufficient_privilege; END IF;
  UPDATE ${schemaName}.people SET removed_at = now() WHERE id = its_id AND removed_at IS NULL AND id <> ${schemaName}.me()
    RETURNING db_user INTO its_user;
  IF its_user IS NULL THEN RETURN false; END IF;
  EXECUTE format('REVOKE ${lead} FROM %I', its_user);
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION note_audit(its_uid uuid, entries jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  who integer := ${schemaName}.me();
  its_machine integer;
  entry jsonb;
  last_number bigint;
  last_hash text;
  next_hash text;
  added integer := 0;
BEGIN
  SELECT id INTO its_machine FROM ${schemaName}.machines WHERE uid = its_uid AND person = who;
  IF its_machine IS NULL OR jsonb_array_length(entries) > 1000 THEN RAISE insufficient_privilege; END IF;
  -- One writer at a time. Only functions of the space's owner can lock this row, so no other session can hold it.
  PERFORM FROM ${schemaName}.space FOR UPDATE;
  SELECT number, hash INTO last_number, last_hash FROM ${schemaName}.audit ORDER BY number DESC LIMIT 1;
  last_number := coalesce(last_number, 0);
  last_hash := coalesce(last_hash, repeat('0', 64));
  FOR entry IN SELECT value FROM jsonb_array_elements(entries) WITH ORDINALITY ORDER BY ordinality LOOP
    CONTINUE WHEN EXISTS (SELECT FROM ${schemaName}.audit WHERE machine = its_machine AND source_digest = entry->>'digest');
    last_number := last_number + 1;
    next_hash := encode(sha256(convert_to(array_to_string(ARRAY[last_hash, last_number::text, entry->>'at', who::text, its_machine::text,
      entry->>'what', coalesce(entry->>'planName', ''), coalesce(entry->>'keyName', ''), coalesce(entry->>'subject', '')], E'\\x1f'), 'UTF8')), 'hex');
    INSERT INTO ${schemaName}.audit VALUES (last_number, entry->>'at', who, its_machine, entry->>'what',
      coalesce(entry->>'planName', ''), coalesce(entry->>'keyName', ''), coalesce(entry->>'subject', ''),
      (entry->>'number')::bigint, entry->>'digest', last_hash, next_hash);
    last_hash := next_hash;
    added := added + 1;
  END LOOP;
  RETURN added;
END $$;

CREATE TABLE IF NOT EXISTS handouts (
  hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),${keyColumns}
  holder_kind text NOT NULL CHECK (holder_kind IN ('person', 'tool')),
  holder_name text NOT NULL CHECK (char_length(holder_name) BETWEEN 1 AND 100),
  acknowledged_at timestamptz
);

ALTER TABLE machines ADD COLUMN os_user text NOT NULL DEFAULT '' CHECK (char_length(os_user) <= 100), ADD COLUMN uses_at timestamptz;
CREATE TABLE uses (
  machine integer NOT NULL REFERENCES machines,${keyColumns.split('\n').slice(0, 4).join('\n')}
  tools text[] NOT NULL CHECK (cardinality(tools) <= 200),
  PRIMARY KEY (machine, place, plan_id, key_id)
);
CREATE TABLE switches (
  rotation uuid NOT NULL,
  machine integer NOT NULL REFERENCES machines,
  state text NOT NULL CHECK (state IN ('tested', 'failed')),
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (rotation, machine)
);

CREATE FUNCTION own_machine(its_uid uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found integer;
BEGIN
  SELECT id INTO found FROM ${schemaName}.machines WHERE uid = its_uid AND person = ${schemaName}.me() AND ${schemaName}.is_lead();
  IF found IS NULL THEN RAISE insufficient_privilege; END IF;
  RETURN found;
END $$;

CREATE FUNCTION publish_uses(its_uid uuid, its_os_user text, entries jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE its_machine integer := ${schemaName}.own_machine(its_uid);
BEGIN
  IF jsonb_array_length(entries) > 10000 THEN RAISE program_limit_exceeded; END IF;
  UPDATE ${schemaName}.machines SET os_user = its_os_user, uses_at = now(), seen_at = now() WHERE id = its_machine;
  DELETE FROM ${schemaName}.uses WHERE machine = its_machine;
  INSERT INTO ${schemaName}.uses SELECT its_machine, e.place, e.plan_id, e.key_id, e.tools
    FROM jsonb_to_recordset(entries) AS e (place text, plan_id text, key_id text, tools text[]);
END $$;

CREATE FUNCTION report_switch(its_uid uuid, its_rotation uuid, its_state text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  $$ INSERT INTO ${schemaName}.switches (rotation, machine, state) VALUES (its_rotation, ${schemaName}.own_machine(its_uid), its_state)
     ON CONFLICT (rotation, machine) DO UPDATE SET state = excluded.state, at = now() $$;

CREATE OR REPLACE FUNCTION leave_machine(its_uid uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM ${schemaName}.uses WHERE machine = ${schemaName}.own_machine(its_uid);
  UPDATE ${schemaName}.machines SET left_at = now() WHERE uid = its_uid AND person = ${schemaName}.me() $$;

${createNotifyTrigger('handouts', 'UPDATE')}
${createNotifyTrigger('uses', 'INSERT OR DELETE')}
${createNotifyTrigger('switches', 'INSERT OR UPDATE')}
${createNotifyTrigger('machines', 'INSERT OR UPDATE OF name, left_at')}
${['handouts', 'uses', 'switches'].map(createLeadPolicySql).join('\n')}

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schemaName} FROM PUBLIC;
GRANT USAGE ON SCHEMA ${schemaName} TO ${lead};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schemaName} TO ${lead};
GRANT SELECT ON ALL TABLES IN SCHEMA ${schemaName} TO ${lead};
GRANT INSERT, UPDATE ON people, holdings, conflicts, rotations TO ${lead};
GRANT INSERT, UPDATE (acknowledged_at) ON handouts TO ${lead};
`

/** Adds the id of a key's holder, which stays the same when the holder is renamed. Schema version 5 had none. */
const holderIds = ['holdings', 'handouts']
  .map((table) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS holder_id text CHECK (char_length(holder_id) <= 100);`)
  .join('\n')

/** Migration names. Earlier app versions count these rows to detect a newer space. */
const versions = [
  '0001-space',
  '0002-budgets',
  '0003-handouts',
  '0004-membership',
  '0005-lead-space',
  '0006-holder-ids',
]

const emptyRow = z.object({})

const noteVersions = (query: Query) =>
  query(
    emptyRow,
  )`INSERT INTO kysely_migration SELECT name, now()::text FROM unnest(${versions}::text[]) AS name ON CONFLICT DO NOTHING`

/** Creates a space whose first lead is the signed-in user. Runs in a transaction. */
export async function createSpace(
  query: Query,
  space: { id: string; name: string; personName: string },
): Promise<void> {
  const leadRoleName = roleName(space.id)
  const sql = `CREATE SCHEMA ${schemaName}; SET LOCAL search_path = ${schemaName}, pg_catalog; CREATE ROLE ${leadRoleName} NOLOGIN;`
  await query(emptyRow)`${new RawSql(sql + baseSchema + createLeadSchemaSql(leadRoleName) + holderIds)}`
  await query(emptyRow)`INSERT INTO space (id, name) VALUES (${space.id}::uuid, ${space.name})`
  await query(emptyRow)`SELECT invite(${space.personName}, session_user::text)`
  await noteVersions(query)
}

/**
 * Converts a team space of version 4 or older to a lead space. Members lose access, usage and budgets are deleted. Runs
 * in a transaction.
 */
export async function upgradeTeamSpace(query: Query): Promise<void> {
  const id = await requireOwner(query)
  const sql = `SET LOCAL search_path = ${schemaName}, pg_catalog; LOCK TABLE kysely_migration IN SHARE ROW EXCLUSIVE MODE;`
  await query(emptyRow)`${new RawSql(sql)}`
  const [{ count } = { count: 0 }] = await query(
    z.object({ count: z.number() }),
  )`SELECT count(*) AS count FROM kysely_migration`
  if (count >= schemaVersion) return
  const toLeadSpace =
    count < leadSpaceVersion ? teamSpaceRemovalSql(roleName(id, 'member')) + createLeadSchemaSql(roleName(id)) : ''
  await query(emptyRow)`${new RawSql(toLeadSpace + holderIds)}`
  await noteVersions(query)
}

/** Deletes the space for everyone. Runs in a transaction. */
export async function deleteSpace(query: Query): Promise<void> {
  const id = await requireOwner(query)
  const sql = `DROP SCHEMA ${schemaName} CASCADE; DROP ROLE ${roleName(id)}; DROP ROLE IF EXISTS ${roleName(id, 'member')};`
  await query(emptyRow)`${new RawSql(sql)}`
}

/** Returns the space's id. Fails with `team.notAllowed` for everyone except the owner of its tables. */
async function requireOwner(query: Query): Promise<string> {
  const [space] = await query(
    z.object({ id: z.string(), owner: z.string(), is_owner: z.boolean() }),
  )`SELECT s.id, n.nspowner::regrole::text AS owner, n.nspowner::regrole::text = quote_ident(current_user) AS is_owner
    FROM companion_team.space AS s, pg_catalog.pg_namespace AS n WHERE n.nspname = ${schemaName}`
  if (space?.is_owner) return space.id
  const owner = space ? `the database user ${space.owner}` : 'the person who created it'
  throw new AppError('team.notAllowed', `Only the owner of the space can do this: ${owner}.`)
}
