import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { Query, Transaction } from './database'

/** Schema version of this app. Versions up to 4 were team spaces with members and usage. */
const schemaVersion = 7

/** The database role of all leads. Roles are global to the server, so the name contains the space's id. */
function roleName(spaceId: string, kind: 'lead' | 'member' = 'lead'): string {
  const mark = spaceId.replaceAll('-', '').slice(0, 16)
  if (!/^[0-9a-f]{16}$/.test(mark)) throw new Error('The id of a space must be a UUID.')
  return `companion_${kind}_${mark}`
}

const keyColumns = `
  place text NOT NULL CHECK (char_length(place) BETWEEN 1 AND 500),
  plan_id text NOT NULL CHECK (char_length(plan_id) BETWEEN 1 AND 200),
  key_id text NOT NULL CHECK (char_length(key_id) BETWEEN 1 AND 200),`

const nameColumns = `
  plan_name text NOT NULL CHECK (char_length(plan_name) <= 200),
  key_name text NOT NULL CHECK (char_length(key_name) <= 200),`

const definer = 'SECURITY DEFINER SET search_path = pg_catalog, companion_team, pg_temp'

/** Tables whose changes other computers are notified of, by the events. */
const notifyingEvents = {
  people: 'INSERT OR UPDATE',
  machines: 'INSERT OR UPDATE OF name, uses, left_at',
  holdings: 'INSERT OR UPDATE',
  conflicts: 'INSERT OR UPDATE',
  rotations: 'INSERT OR UPDATE',
  handouts: 'UPDATE',
  switches: 'INSERT OR UPDATE',
}

/**
 * The whole space. `me()` returns the lead of the signed-in database user, whatever role is set. Versions in `holdings`
 * prevent overwriting unseen changes: a record is sent with the next version. A key has at most one open rotation,
 * which only the owner of its lease may change. Confirmation codes (`handouts`) are stored as digests, so that a lead
 * can enter the code of another lead's key. `switches`: a computer's reports on rotations of other computers. Each
 * audit line contains the digest of the previous one. All times come from the database clock. Functions grant and revoke the lead role as the space's owner, because since PostgreSQL 16 only the
 * grantor of a role can revoke it.
 */
const spaceSql = (lead: string): string => `
CREATE SCHEMA companion_team;
SET LOCAL search_path = companion_team, pg_catalog;
CREATE TABLE kysely_migration (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL);
-- All versions of the app compare the number of these rows with their own version.
INSERT INTO kysely_migration SELECT to_char(number, 'FM0000'), now()::text FROM generate_series(1, ${schemaVersion}) AS number;
CREATE TABLE space (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100)
);
CREATE TABLE people (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  db_user text NOT NULL UNIQUE,
  removed_at timestamptz
);
CREATE UNIQUE INDEX people_name ON people (lower(name));
CREATE TABLE machines (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid uuid NOT NULL UNIQUE,
  person integer NOT NULL REFERENCES people,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  os_user text NOT NULL DEFAULT '' CHECK (char_length(os_user) <= 100),
  seen_at timestamptz NOT NULL DEFAULT now(),
  uses jsonb NOT NULL DEFAULT '[]' CHECK (pg_column_size(uses) <= 4000000),
  uses_at timestamptz,
  left_at timestamptz
);

CREATE FUNCTION me() RETURNS integer LANGUAGE sql STABLE ${definer} AS
  $$ SELECT id FROM people WHERE db_user = session_user AND removed_at IS NULL $$;
CREATE FUNCTION own_machine(its_uid uuid) RETURNS integer LANGUAGE plpgsql ${definer} AS $$
DECLARE found integer;
BEGIN
  SELECT id INTO found FROM machines WHERE uid = its_uid AND person = me();
  IF found IS NULL THEN RAISE insufficient_privilege; END IF;
  RETURN found;
END $$;

CREATE TABLE holdings (${keyColumns}
  note jsonb NOT NULL CHECK (jsonb_typeof(note) = 'object' AND pg_column_size(note) <= 65536),
  version integer NOT NULL,
  changed_by integer,
  PRIMARY KEY (place, plan_id, key_id)
);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, companion_team, pg_temp AS
  $$ BEGIN NEW.version := coalesce(OLD.version + 1, NEW.version); NEW.changed_by := me(); RETURN NEW; END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON holdings FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE TABLE conflicts (
  id text PRIMARY KEY CHECK (char_length(id) = 64),${keyColumns}
  mine jsonb NOT NULL CHECK (jsonb_typeof(mine) = 'object' AND pg_column_size(mine) <= 65536),
  theirs jsonb NOT NULL CHECK (jsonb_typeof(theirs) = 'object' AND pg_column_size(theirs) <= 65536),
  person integer NOT NULL DEFAULT me() REFERENCES people,
  theirs_by integer REFERENCES people,
  at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz
);
CREATE TABLE rotations (id uuid PRIMARY KEY,${keyColumns}${nameColumns}
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
CREATE TABLE handouts (
  hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),${keyColumns}${nameColumns}
  holder jsonb NOT NULL CHECK (pg_column_size(holder) <= 2000),
  acknowledged_at timestamptz
);
CREATE TABLE switches (
  rotation uuid NOT NULL,
  machine integer NOT NULL REFERENCES machines,
  state text NOT NULL CHECK (state IN ('tested', 'failed')),
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (rotation, machine)
);
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

CREATE FUNCTION join_machine(its_uid uuid, its_name text) RETURNS integer LANGUAGE plpgsql ${definer} AS $$
BEGIN
  INSERT INTO machines AS m (uid, person, name) VALUES (its_uid, me(), its_name)
    ON CONFLICT (uid) DO UPDATE SET name = excluded.name, seen_at = now(), left_at = NULL WHERE m.person = me();
  RETURN own_machine(its_uid);
END $$;
CREATE FUNCTION invite(its_name text, its_user text) RETURNS integer LANGUAGE plpgsql ${definer} AS $$
DECLARE found integer;
BEGIN
  IF EXISTS (SELECT FROM people) AND me() IS NULL THEN RAISE insufficient_privilege; END IF;
  INSERT INTO people (name, db_user) VALUES (its_name, its_user)
    ON CONFLICT (db_user) DO UPDATE SET name = excluded.name, removed_at = NULL RETURNING id INTO found;
  EXECUTE format('GRANT ${lead} TO %I', its_user);
  RETURN found;
END $$;
CREATE FUNCTION remove_person(its_id integer) RETURNS boolean LANGUAGE plpgsql ${definer} AS $$
DECLARE its_user text;
BEGIN
  IF me() IS NULL THEN RAISE insufficient_privilege; END IF;
  UPDATE people SET removed_at = now() WHERE id = its_id AND removed_at IS NULL AND id <> me() RETURNING db_user INTO its_user;
  IF its_user IS NULL THEN RETURN false; END IF;
  EXECUTE format('REVOKE ${lead} FROM %I', its_user);
  RETURN true;
END $$;
CREATE FUNCTION note_audit(its_uid uuid, entries jsonb) RETURNS void LANGUAGE plpgsql ${definer} AS $$
DECLARE
  its_machine integer := own_machine(its_uid);
  entry jsonb;
  line audit%ROWTYPE;
BEGIN
  IF jsonb_array_length(entries) > 1000 THEN RAISE insufficient_privilege; END IF;
  -- One writer at a time. Only functions of the space's owner can lock this row, so no other session can hold it.
  PERFORM FROM space FOR UPDATE;
  FOR entry IN SELECT value FROM jsonb_array_elements(entries) WITH ORDINALITY ORDER BY ordinality LOOP
    CONTINUE WHEN EXISTS (SELECT FROM audit WHERE machine = its_machine AND source_digest = entry->>'digest');
    SELECT * INTO line FROM audit ORDER BY number DESC LIMIT 1;
    line := (coalesce(line.number, 0) + 1, entry->>'at', me(), its_machine, entry->>'what', coalesce(entry->>'planName', ''),
      coalesce(entry->>'keyName', ''), coalesce(entry->>'subject', ''), (entry->>'number')::bigint, entry->>'digest',
      coalesce(line.hash, repeat('0', 64)), '');
    line.hash := encode(sha256(convert_to(concat_ws(E'\\x1f', line.previous, line.number, line.at, line.person, line.machine,
      line.what, line.plan_name, line.key_name, line.subject), 'UTF8')), 'hex');
    INSERT INTO audit SELECT line.*;
  END LOOP;
END $$;
CREATE FUNCTION publish_uses(its_uid uuid, its_os_user text, its_uses jsonb) RETURNS void LANGUAGE sql ${definer} AS $$
  -- The conversion fails for values that another computer could not read.
  UPDATE machines SET os_user = its_os_user, uses_at = now(), seen_at = now(), uses = (SELECT coalesce(jsonb_agg(to_jsonb(u)), '[]')
    FROM jsonb_to_recordset(its_uses) AS u (place text, plan_id text, key_id text, tools text[])) WHERE id = own_machine(its_uid) $$;
CREATE FUNCTION report_switch(its_uid uuid, its_rotation uuid, its_state text) RETURNS void LANGUAGE sql ${definer} AS $$
  INSERT INTO switches (rotation, machine, state) VALUES (its_rotation, own_machine(its_uid), its_state)
    ON CONFLICT (rotation, machine) DO UPDATE SET state = excluded.state, at = now() $$;
CREATE FUNCTION leave_machine(its_uid uuid) RETURNS void LANGUAGE sql ${definer} AS
  $$ UPDATE machines SET left_at = now() WHERE id = own_machine(its_uid) $$;

CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
  $$ BEGIN PERFORM pg_notify('companion_team', TG_TABLE_NAME); RETURN NULL; END $$;
${Object.entries(notifyingEvents)
  .map(
    ([table, events]) => `CREATE TRIGGER tell AFTER ${events} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION tell();`,
  )
  .join('\n')}
${['space', 'audit', ...Object.keys(notifyingEvents)]
  .map(
    (table) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY leads ON ${table} USING ((SELECT companion_team.me()) IS NOT NULL);`,
  )
  .join('\n')}
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA companion_team FROM PUBLIC;
GRANT USAGE ON SCHEMA companion_team TO ${lead};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA companion_team TO ${lead};
GRANT SELECT ON ALL TABLES IN SCHEMA companion_team TO ${lead};
GRANT INSERT, UPDATE ON people, holdings, conflicts, rotations TO ${lead};
GRANT INSERT, UPDATE (acknowledged_at) ON handouts TO ${lead};
`

const oldHolder = `CASE WHEN t.holder_name IS NOT NULL AND t.holder_kind IS NOT NULL THEN
  jsonb_strip_nulls(jsonb_build_object('id', to_jsonb(t)->'holder_id', 'kind', t.holder_kind, 'name', t.holder_name)) END`

/** Tables of older versions that the upgrade copies, in the order of their references, with SQL of changed columns. */
const upgradedTables = {
  space: `'{}'`,
  people: `jsonb_build_object('removed_at', CASE t.role WHEN 'lead' THEN t.removed_at ELSE coalesce(t.removed_at, now()) END)`,
  machines: `jsonb_build_object('os_user', coalesce(to_jsonb(t)->>'os_user', ''), 'uses', '[]'::jsonb)`,
  holdings: `jsonb_build_object('note', jsonb_strip_nulls(jsonb_build_object('planName', t.plan_name, 'keyName', t.key_name,
    'createdAt', t.created_at, 'holder', ${oldHolder}, 'purpose', t.purpose, 'machine', t.machine, 'handedOutAt', t.handed_out_at,
    'acknowledgedAt', t.acknowledged_at, 'rotatedAt', t.rotated_at, 'alsoServes', t.also_serves)))`,
  conflicts: `'{}'`,
  rotations: `'{}'`,
  handouts: `jsonb_build_object('holder', ${oldHolder})`,
  switches: `'{}'`,
}

/** Creates a space whose first lead is the signed-in user. Runs in a transaction. */
export async function createSpace(
  { rows, exec }: Transaction,
  space: { id: string; name: string; personName: string },
): Promise<void> {
  await exec(`CREATE ROLE ${roleName(space.id)} NOLOGIN; ${spaceSql(roleName(space.id))}`)
  await rows(z.object({}))`INSERT INTO space (id, name) VALUES (${space.id}::uuid, ${space.name})`
  await rows(z.object({}))`SELECT invite(${space.personName}, session_user::text)`
}

/** Replaces an older space, keeping its data. Members of version 4 and older lose access. Runs in a transaction. */
export async function upgradeSpace({ rows, exec }: Transaction): Promise<void> {
  const id = await requireOwner(rows)
  await exec('LOCK TABLE companion_team.kysely_migration IN SHARE ROW EXCLUSIVE MODE')
  if ((await readVersion(rows)) === schemaVersion) return
  await exec(`ALTER SCHEMA companion_team RENAME TO companion_team_before; ${spaceSql(roleName(id))}`)
  await exec('ALTER TABLE holdings DISABLE TRIGGER stamp')
  const oldTables = await rows(
    z.object({ name: z.string() }),
  )`SELECT tablename AS name FROM pg_catalog.pg_tables WHERE schemaname = 'companion_team_before'`
  for (const [table, changes] of Object.entries(upgradedTables))
    if (oldTables.some(({ name }) => name === table))
      await exec(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE
        SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(t) || ${changes})).* FROM companion_team_before.${table} AS t`)
  if (oldTables.some(({ name }) => name === 'uses'))
    await exec(
      `UPDATE machines AS m SET uses = coalesce((SELECT jsonb_agg(to_jsonb(u) - 'machine') FROM companion_team_before.uses AS u WHERE u.machine = m.id), '[]')`,
    )
  await exec('INSERT INTO audit SELECT * FROM companion_team_before.audit')
  for (const table of ['people', 'machines'])
    await exec(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table}`)
  await exec('ALTER TABLE holdings ENABLE TRIGGER stamp')
  await exec(`DROP SCHEMA companion_team_before CASCADE; DROP ROLE IF EXISTS ${roleName(id, 'member')}`)
}

export async function deleteSpace({ rows, exec }: Transaction): Promise<void> {
  const id = await requireOwner(rows)
  await exec(`DROP SCHEMA companion_team CASCADE; DROP ROLE ${roleName(id)}`)
  await exec(`DROP ROLE IF EXISTS ${roleName(id, 'member')}`)
}

/** Returns the space's id. Fails with `team.notAllowed` for everyone except the owner of its tables. */
async function requireOwner(rows: Query): Promise<string> {
  const [space] = await rows(
    z.object({ id: z.string(), owner: z.string(), is_owner: z.boolean() }),
  )`SELECT s.id, n.nspowner::regrole::text AS owner, n.nspowner::regrole::text = quote_ident(current_user) AS is_owner
    FROM companion_team.space AS s, pg_catalog.pg_namespace AS n WHERE n.nspname = 'companion_team'`
  if (space?.is_owner) return space.id
  const owner = space ? `the database user ${space.owner}` : 'the person who created it'
  throw new AppError('team.notAllowed', `Only the owner of the space can do this: ${owner}.`)
}

/** Schema version of the space. Fails with `team.noSpace`. */
async function readVersion(rows: Query): Promise<number> {
  const [row] = await rows(z.object({ count: z.number() }))`SELECT count(*) FROM companion_team.kysely_migration`
  return row?.count ?? 0
}

/** Names of the space and the lead. Fails with `team.noSpace`, `team.newer`, `team.older` or `team.notInvited`. */
export async function requireLead(rows: Query, spaceId: string) {
  const hint = 'This database user is no lead of the space. Ask a lead to invite it.'
  const notInvited = new AppError('team.notInvited', hint)
  const version = await readVersion(rows).catch((error: unknown) => {
    throw error instanceof AppError && error.failure.code === 'team.notAllowed' ? notInvited : error
  })
  if (version > schemaVersion)
    throw new AppError('team.newer', 'A newer version of this app made or changed the lead space. Update this app.')
  if (version < schemaVersion) {
    const message =
      'An older version of this app made the team space. Its owner has to upgrade it: companion team upgrade.'
    throw new AppError('team.older', message)
  }
  const [space] = await rows(
    z.object({ id: z.string(), spaceName: z.string(), personName: z.string().nullable() }),
  )`SELECT s.id, s.name AS "spaceName", p.name AS "personName"
    FROM companion_team.space AS s LEFT JOIN companion_team.people AS p ON p.id = companion_team.me()`
  if (space?.personName == null) throw notInvited
  const { id, spaceName, personName } = space
  if (id === spaceId) return { spaceName, personName }
  throw new AppError('team.noSpace', 'This database does not hold the lead space of the invitation.')
}
