import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { usageSchema } from './usage-schema'

/** The schema of a team space; a database holds one space. */
export const schemaName = 'companion_team'

/** The database's own roles of a space, which every lead or member is given. Roles belong to all databases of a server, so the space's id is in them. */
function roleNames(spaceId: string): { readonly lead: string; readonly member: string } {
  const mark = spaceId.replaceAll('-', '').slice(0, 16)
  if (!/^[0-9a-f]{16}$/.test(mark)) throw new Error('The id of a space is a UUID.')
  return { lead: `companion_lead_${mark}`, member: `companion_member_${mark}` }
}

/** Who and what a space knows. `me()` is the person whose database user is signed in; it follows the session, whatever role is set. */
const peopleSchema = `
CREATE TABLE space (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  zone text NOT NULL CHECK (char_length(zone) <= 60),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE people (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  db_user text NOT NULL UNIQUE,
  role text NOT NULL CHECK (role IN ('lead', 'member')),
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
CREATE FUNCTION my_name() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  $$ SELECT lower(name) FROM ${schemaName}.people WHERE db_user = session_user AND removed_at IS NULL $$;
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

CREATE FUNCTION leave_machine(its_uid uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  $$ UPDATE ${schemaName}.machines SET left_at = now() WHERE uid = its_uid AND person = ${schemaName}.me() $$;
`

/**
 * Gives and takes the roles of a space, always as its owner: since PostgreSQL 16 only who granted a role can revoke it, and nobody can grant
 * one with its administration back to who granted it to them.
 */
const membershipSchema = (lead: string, member: string): string => `
CREATE OR REPLACE FUNCTION invite(its_name text, its_user text, its_role text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found integer;
BEGIN
  IF EXISTS (SELECT FROM ${schemaName}.people) AND NOT ${schemaName}.is_lead() THEN RAISE insufficient_privilege; END IF;
  INSERT INTO ${schemaName}.people AS p (name, db_user, role) VALUES (its_name, its_user, its_role)
    ON CONFLICT (db_user) DO UPDATE SET name = excluded.name, role = excluded.role, removed_at = NULL
    RETURNING id INTO found;
  EXECUTE format('GRANT ${member} TO %I', its_user);
  IF its_role = 'lead' THEN EXECUTE format('GRANT ${lead} TO %I', its_user); END IF;
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
  EXECUTE format('REVOKE ${lead}, ${member} FROM %I', its_user);
  RETURN true;
END $$;
`

const keyColumns = `
  place text NOT NULL CHECK (char_length(place) BETWEEN 1 AND 500),
  plan_id text NOT NULL CHECK (char_length(plan_id) BETWEEN 1 AND 200),
  key_id text NOT NULL CHECK (char_length(key_id) BETWEEN 1 AND 200),
  plan_name text NOT NULL CHECK (char_length(plan_name) <= 200),
  key_name text NOT NULL CHECK (char_length(key_name) <= 200),`

/** Who holds which key: names and ids, in versions, so that nobody overwrites what they have not seen. */
const registerSchema = `
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
`

/** One row for each rotation, and one open row for each key: whoever has its lease may work on it. Times are the database's. */
const rotationSchema = `
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
`

/** What was done, in one chain for the whole team: each line holds the digest of the one before. Lines come from the trails of machines. */
const auditSchema = `
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

CREATE FUNCTION note_audit(its_uid uuid, entries jsonb) RETURNS integer
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
  PERFORM pg_advisory_xact_lock(7420031, 1);
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

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'The audit trail is only added to.' USING ERRCODE = 'insufficient_privilege'; END $$;
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

/** Tells every connected screen what kind of thing changed, and nothing of it. */
const tellSchema = `
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
  $$ BEGIN PERFORM pg_notify('${schemaName}', TG_ARGV[0]); RETURN NULL; END $$;
${(
  [
    ['holdings', 'register'],
    ['conflicts', 'register'],
    ['rotations', 'rotations'],
    ['people', 'people'],
    ['machines', 'people'],
  ] as const
)
  .map(
    ([table, news]) =>
      `CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION tell('${news}');`,
  )
  .join('\n')}
`

/** The database itself keeps members to what is theirs; the app's own checks come on top. */
const accessSchema = (lead: string, member: string): string => `
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schemaName} FROM PUBLIC;
GRANT USAGE ON SCHEMA ${schemaName} TO ${lead}, ${member};
GRANT EXECUTE ON FUNCTION me(), my_name(), is_lead(), join_machine(uuid, text), leave_machine(uuid), note_audit(uuid, jsonb), push_usage(uuid, jsonb)
  TO ${lead}, ${member};
GRANT EXECUTE ON FUNCTION invite(text, text, text), remove_person(integer), stamp_holding(), tell() TO ${lead};
GRANT SELECT ON kysely_migration, space, people, machines, holdings, audit, dimensions, usage_hours, usage_sums TO ${lead}, ${member};
GRANT INSERT, UPDATE ON people, holdings, conflicts, rotations TO ${lead};
GRANT SELECT ON conflicts, rotations TO ${lead};

${[
  'space',
  'people',
  'machines',
  'holdings',
  'conflicts',
  'rotations',
  'audit',
  'dimensions',
  'usage_hours',
  'usage_sums',
]
  .map(
    (table) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY leads ON ${table} TO ${lead} USING ((SELECT ${schemaName}.is_lead())) WITH CHECK ((SELECT ${schemaName}.is_lead()));`,
  )
  .join('\n')}
CREATE POLICY everybody ON space FOR SELECT TO ${member} USING ((SELECT ${schemaName}.me()) IS NOT NULL);
CREATE POLICY own ON people FOR SELECT TO ${member} USING (id = (SELECT ${schemaName}.me()));
CREATE POLICY own ON machines FOR SELECT TO ${member} USING (person = (SELECT ${schemaName}.me()));
CREATE POLICY own ON holdings FOR SELECT TO ${member} USING (holder_kind = 'person' AND lower(holder_name) = (SELECT ${schemaName}.my_name()));
CREATE POLICY own ON audit FOR SELECT TO ${member} USING (person = (SELECT ${schemaName}.me()));
CREATE POLICY own ON usage_hours FOR SELECT TO ${member} USING (person = (SELECT ${schemaName}.me()));
CREATE POLICY own ON usage_sums FOR SELECT TO ${member} USING (person = (SELECT ${schemaName}.me()));
CREATE POLICY own ON dimensions FOR SELECT TO ${member} USING (kind IN ('model', 'tool') OR EXISTS (
  SELECT FROM ${schemaName}.usage_sums AS s WHERE s."grouping" = 7 AND s.person = (SELECT ${schemaName}.me()) AND dimensions.id IN (s.plan, s.key)));
`

/** Confirmation codes of keys that leads handed out, by digest: a lead who did not make the kit can enter one. */
const handoutSchema = (lead: string): string => `
CREATE TABLE handouts (
  hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),${keyColumns}
  holder_kind text NOT NULL CHECK (holder_kind IN ('person', 'tool')),
  holder_name text NOT NULL CHECK (char_length(holder_name) BETWEEN 1 AND 100),
  acknowledged_at timestamptz
);
CREATE TRIGGER tell AFTER UPDATE ON handouts FOR EACH STATEMENT EXECUTE FUNCTION tell('handouts');
GRANT SELECT, INSERT, UPDATE (acknowledged_at) ON handouts TO ${lead};
ALTER TABLE handouts ENABLE ROW LEVEL SECURITY;
CREATE POLICY leads ON handouts TO ${lead} USING ((SELECT ${schemaName}.is_lead())) WITH CHECK ((SELECT ${schemaName}.is_lead()));
`

/** The version of the schema that this app reads and writes: the number of its migrations. */
export const schemaVersion = 4

/** A space that does not exist yet, and who makes it. */
interface NewSpace {
  readonly id: string
  readonly name: string
  /** The time zone of its days. */
  readonly zone: string
  readonly personName: string
}

/** What makes a space, by name in their order. One that was released is never changed. */
const migrationsOf = (space: NewSpace | undefined): Record<string, Migration> => ({
  '0001-space': {
    async up(db: Kysely<unknown>) {
      if (space === undefined) throw new Error('A space is made by the command that makes one.')
      const { lead, member } = roleNames(space.id)
      await sql.raw(`SET LOCAL search_path = ${schemaName}, pg_catalog`).execute(db)
      await sql.raw(`CREATE ROLE ${lead} NOLOGIN`).execute(db)
      await sql.raw(`CREATE ROLE ${member} NOLOGIN`).execute(db)
      const parts = [
        peopleSchema,
        membershipSchema(lead, member),
        registerSchema,
        rotationSchema,
        auditSchema,
        usageSchema(schemaName),
      ]
      for (const part of [...parts, tellSchema, accessSchema(lead, member)]) await sql.raw(part).execute(db)
      await sql`INSERT INTO space (id, name, zone) VALUES (${space.id}::uuid, ${space.name}, ${space.zone})`.execute(db)
      await sql`SELECT invite(${space.personName}, session_user::text, 'lead')`.execute(db)
    },
  },
  '0002-budgets': { up: async (db) => addPart(db, (roles) => budgetSchema(schemaName, roles)) },
  '0003-handouts': { up: async (db) => addPart(db, ({ lead }) => handoutSchema(lead)) },
  '0004-membership': { up: async (db) => addPart(db, ({ lead, member }) => membershipSchema(lead, member)) },
})

async function addPart(db: Kysely<unknown>, part: (roles: ReturnType<typeof roleNames>) => string): Promise<void> {
  await sql.raw(`SET LOCAL search_path = ${schemaName}, pg_catalog`).execute(db)
  const { rows } = await sql<{ id: string }>`SELECT id FROM space`.execute(db)
  await sql.raw(part(roleNames(rows[0]?.id ?? ''))).execute(db)
}

/** Brings the schema up to date, all in one transaction; `space` where there is none yet. Fails with errors of the driver. */
export async function migrateSpace(db: Kysely<unknown>, space?: NewSpace): Promise<void> {
  const migrations = migrationsOf(space)
  const provider = { getMigrations: async () => migrations }
  const { error } = await new Migrator({ db, provider, migrationTableSchema: schemaName }).migrateToLatest()
  if (error !== undefined) throw error
}

/**
 * Limits that leads set for the whole team, and what others used of them. Plans and keys are named as in the sums of usage. A member reads those of their
 * own name, of every tool and model, and of plans and keys that they hold or have sent usage of.
 */
const budgetSchema = (schema: string, { lead, member }: { readonly lead: string; readonly member: string }) => `
CREATE TABLE budgets (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  subject_kind text NOT NULL CHECK (subject_kind IN ('plan', 'key', 'tool', 'model', 'person')),
  subject text NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 500),
  -- Of a key.
  plan text CHECK (char_length(plan) BETWEEN 1 AND 500),
  subject_name text NOT NULL CHECK (char_length(subject_name) <= 500),
  also_keys text[] NOT NULL DEFAULT '{}' CHECK (cardinality(also_keys) <= 1000),
  unit text NOT NULL CHECK (unit IN ('tokens', 'requests')),
  amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 1000000000000),
  period text NOT NULL CHECK (period IN ('day', 'week', 'cycle')),
  action text NOT NULL CHECK (action IN ('warn', 'refuse')),
  cycle_ends_at timestamptz,
  cycle_days integer CHECK (cycle_days BETWEEN 1 AND 10000),
  created_at text NOT NULL CHECK (char_length(created_at) <= 40),
  version integer NOT NULL DEFAULT 1,
  changed_at timestamptz NOT NULL DEFAULT now(),
  changed_by integer,
  CHECK ((subject_kind = 'key') = (plan IS NOT NULL)),
  CHECK (period <> 'cycle' OR (cycle_ends_at IS NOT NULL AND cycle_days IS NOT NULL))
);
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON budgets FOR EACH ROW EXECUTE FUNCTION stamp_holding();
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON budgets FOR EACH STATEMENT EXECUTE FUNCTION tell('budgets');
-- That a computer was seen, as with every push of usage, is no news: it would wake all others.
DROP TRIGGER tell ON machines;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF name, left_at ON machines FOR EACH STATEMENT EXECUTE FUNCTION tell('people');

-- What all computers but one used of a budget in its present period, by the sums. Whoever knows the id of a budget was told of it.
CREATE FUNCTION budget_used(its_id uuid, its_uid uuid) RETURNS TABLE (began timestamptz, ends timestamptz, used bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  its_zone text := (SELECT zone FROM ${schema}.space);
  who integer := ${schema}.me();
  b ${schema}.budgets%ROWTYPE;
  ids integer[];
  seconds bigint;
  since timestamptz;
  midnight timestamptz;
  own bigint;
BEGIN
  IF who IS NULL THEN RAISE insufficient_privilege; END IF;
  SELECT * INTO b FROM ${schema}.budgets WHERE id = its_id;
  IF NOT FOUND THEN RETURN; END IF;
  IF b.period = 'cycle' THEN
    seconds := b.cycle_days * 86400::bigint;
    began := b.cycle_ends_at + floor(extract(epoch FROM now() - b.cycle_ends_at) / seconds) * seconds * interval '1 second';
    ends := began + seconds * interval '1 second';
    -- With the hour that it began in; by the hour until the next midnight, by days from then on.
    since := date_trunc('hour', began, 'UTC');
    midnight := date_trunc('day', since, its_zone);
    IF midnight < since THEN midnight := date_trunc('day', midnight + interval '36 hours', its_zone); END IF;
  ELSE
    began := date_trunc(b.period, now(), its_zone);
    ends := date_trunc(b.period, began + CASE b.period WHEN 'day' THEN interval '36 hours' ELSE interval '180 hours' END, its_zone);
    since := began;
    midnight := began;
  END IF;
  ids := CASE b.subject_kind
    WHEN 'person' THEN ARRAY(SELECT p.id FROM ${schema}.people AS p WHERE lower(p.name) = lower(b.subject))
    ELSE ARRAY(SELECT d.id FROM ${schema}.dimensions AS d WHERE d.kind = b.subject_kind AND d.value = ANY (b.also_keys || b.subject)) END;
  SELECT coalesce(sum(CASE b.unit WHEN 'requests' THEN s.requests - s.errors ELSE s.input + s.output + s.cache END), 0) INTO used FROM (
    SELECT * FROM ${schema}.usage_sums WHERE "grouping" = CASE b.subject_kind WHEN 'key' THEN 6 WHEN 'person' THEN 3 ELSE 1 END AND t >= midnight AND t < ends
    UNION ALL
    SELECT * FROM ${schema}.usage_sums WHERE "grouping" = CASE b.subject_kind WHEN 'key' THEN 9 ELSE 2 END AND t >= since AND t < midnight
  ) AS s WHERE ${columnOf('s')} = ANY (ids);
  SELECT coalesce(sum(CASE b.unit WHEN 'requests' THEN u.requests - u.errors ELSE u.input + u.output + u.cache END), 0) INTO own
    FROM ${schema}.usage_hours AS u WHERE u.machine = (SELECT m.id FROM ${schema}.machines AS m WHERE m.uid = its_uid AND m.person = who)
      AND u.hour > since - interval '1 hour' AND u.hour < ends AND (b.period = 'cycle' OR date_trunc('day', u.hour, its_zone) >= began)
      AND ${columnOf('u')} = ANY (ids);
  used := greatest(used - own, 0);
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION budget_used(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION budget_used(uuid, uuid) TO ${lead}, ${member};
GRANT SELECT ON budgets TO ${lead}, ${member};
GRANT INSERT, UPDATE, DELETE ON budgets TO ${lead};
ALTER TABLE budgets ENABLE ROW LEVEL SECURITY;
CREATE POLICY leads ON budgets TO ${lead} USING ((SELECT ${schema}.is_lead())) WITH CHECK ((SELECT ${schema}.is_lead()));
CREATE POLICY own ON budgets FOR SELECT TO ${member} USING (CASE subject_kind
  WHEN 'person' THEN lower(subject) = (SELECT ${schema}.my_name())
  WHEN 'plan' THEN EXISTS (SELECT FROM ${schema}.holdings AS h WHERE h.plan_id = subject)
    OR EXISTS (SELECT FROM ${schema}.dimensions AS d WHERE d.kind = 'plan' AND d.value = subject)
  WHEN 'key' THEN EXISTS (SELECT FROM ${schema}.holdings AS h WHERE h.key_id = ANY (also_keys || subject))
    OR EXISTS (SELECT FROM ${schema}.dimensions AS d WHERE d.kind = 'key' AND d.value = ANY (also_keys || subject))
  ELSE (SELECT ${schema}.me()) IS NOT NULL END);
`

const columnOf = (table: string): string =>
  `CASE b.subject_kind WHEN 'plan' THEN ${table}.plan WHEN 'key' THEN ${table}.key WHEN 'tool' THEN ${table}.tool WHEN 'model' THEN ${table}.model ELSE ${table}.person END`
