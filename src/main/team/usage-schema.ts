/** What sums are kept apart by. */
export const usageDimensions = ['person', 'machine', 'plan', 'key', 'model', 'tool'] as const
export type UsageDimension = (typeof usageDimensions)[number]

/** One way of adding up; `id` is kept in the database, so a row is never changed. */
interface UsageGrouping {
  readonly id: number
  readonly unit: 'hour' | 'day'
  readonly by: readonly UsageDimension[]
}

/** The smaller first. Days are those of the space's time zone. */
export const usageGroupings: readonly UsageGrouping[] = [
  { id: 1, unit: 'day', by: ['plan', 'model', 'tool'] },
  { id: 3, unit: 'day', by: ['person', 'machine', 'plan'] },
  { id: 4, unit: 'day', by: ['person', 'machine', 'model'] },
  { id: 5, unit: 'day', by: ['person', 'machine', 'tool'] },
  { id: 6, unit: 'day', by: ['plan', 'key'] },
  { id: 7, unit: 'day', by: usageDimensions },
  { id: 2, unit: 'hour', by: ['plan', 'model', 'tool'] },
  { id: 8, unit: 'hour', by: ['person', 'machine'] },
  { id: 9, unit: 'hour', by: ['plan', 'key'] },
]

const counts = ['requests', 'errors', 'input', 'output', 'cache'] as const
const countColumns = counts.map((count) => `${count} bigint NOT NULL`).join(', ')

const groupingRows = usageGroupings
  .map(({ id, unit, by }) => `(${[id, unit === 'hour', ...usageDimensions.map((one) => by.includes(one))].join(', ')})`)
  .join(', ')

/**
 * Hourly sums of machines, partitioned by month, and from them, in the same transaction, sums by day for every usual question: a chart reads thousands of
 * rows, however many machines there are. A machine replaces whole hours of its own, so that sending an hour again changes nothing.
 */
export const usageSchema = (schema: string): string => `
CREATE TABLE dimensions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('plan', 'key', 'model', 'tool')),
  value text NOT NULL CHECK (char_length(value) <= 500),
  label text NOT NULL CHECK (char_length(label) <= 200),
  UNIQUE (kind, value)
);

CREATE TABLE usage_hours (
  hour timestamptz NOT NULL,
  ${usageDimensions.map((one) => `"${one}" integer NOT NULL`).join(', ')},
  ${countColumns},
  PRIMARY KEY (machine, hour, plan, key, model, tool)
) PARTITION BY RANGE (hour);

CREATE TABLE usage_sums (
  grouping smallint NOT NULL,
  t timestamptz NOT NULL,
  ${usageDimensions.map((one) => `"${one}" integer NOT NULL`).join(', ')},
  ${countColumns},
  PRIMARY KEY (grouping, t, ${usageDimensions.join(', ')})
) PARTITION BY LIST (grouping);
CREATE INDEX usage_sums_person ON usage_sums (grouping, person, t);
${usageGroupings
  .map(
    ({ id }) =>
      `CREATE TABLE usage_sums_${id} PARTITION OF usage_sums FOR VALUES IN (${id}) PARTITION BY RANGE (t);\nALTER TABLE usage_sums_${id} ENABLE ROW LEVEL SECURITY;`,
  )
  .join('\n')}

CREATE FUNCTION ensure_month(moment timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  its_month timestamptz := date_trunc('month', moment, 'UTC');
  following timestamptz := date_trunc('month', date_trunc('month', moment, 'UTC') + interval '32 days', 'UTC');
  mark text := to_char(date_trunc('month', moment, 'UTC') AT TIME ZONE 'UTC', 'YYYY_MM');
  parent text;
BEGIN
  IF to_regclass('${schema}.usage_hours_' || mark) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(7420031, 2);
  IF to_regclass('${schema}.usage_hours_' || mark) IS NOT NULL THEN RETURN; END IF;
  FOREACH parent IN ARRAY ARRAY['usage_hours', ${usageGroupings.map(({ id }) => `'usage_sums_${id}'`).join(', ')}] LOOP
    EXECUTE format('CREATE TABLE ${schema}.%I PARTITION OF ${schema}.%I FOR VALUES FROM (%L) TO (%L)', parent || '_' || mark, parent, its_month, following);
    EXECUTE format('ALTER TABLE ${schema}.%I ENABLE ROW LEVEL SECURITY', parent || '_' || mark);
  END LOOP;
  EXECUTE format('CREATE INDEX ON ${schema}.%I USING brin (hour) WITH (autosummarize = on)', 'usage_hours_' || mark);
END $$;

CREATE FUNCTION add_sums() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  its_zone text := (SELECT zone FROM ${schema}.space);
BEGIN
  INSERT INTO ${schema}.usage_sums AS s
  SELECT g.id, CASE WHEN g.is_hour THEN c.hour ELSE date_trunc('day', c.hour, its_zone) END AS t,
    ${usageDimensions.map((one) => `CASE WHEN g."${one}" THEN c."${one}" ELSE 0 END AS "${one}"`).join(', ')},
    ${counts.map((count) => `sign * sum(c.${count})`).join(', ')}
  FROM changed AS c CROSS JOIN (VALUES ${groupingRows}) AS g (id, is_hour, ${usageDimensions.map((one) => `"${one}"`).join(', ')})
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
  ON CONFLICT (grouping, t, ${usageDimensions.join(', ')}) DO UPDATE SET ${counts.map((count) => `${count} = s.${count} + excluded.${count}`).join(', ')};
  RETURN NULL;
END $$;
CREATE TRIGGER add_sums AFTER INSERT ON usage_hours REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_sums();
CREATE TRIGGER take_sums AFTER DELETE ON usage_hours REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_sums();

CREATE FUNCTION push_usage(its_uid uuid, hours jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  who integer := ${schema}.me();
  its_machine integer;
  moment timestamptz;
  added integer;
BEGIN
  SELECT id INTO its_machine FROM ${schema}.machines WHERE uid = its_uid AND person = who;
  IF its_machine IS NULL OR jsonb_array_length(hours) > 200 THEN RAISE insufficient_privilege; END IF;
  UPDATE ${schema}.machines SET seen_at = now() WHERE id = its_machine;
  FOR moment IN SELECT DISTINCT date_trunc('month', (h.value->>'hour')::timestamptz, 'UTC') FROM jsonb_array_elements(hours) AS h LOOP
    IF moment > now() + interval '40 days' OR moment < now() - interval '5 years' THEN RAISE insufficient_privilege; END IF;
    -- A day of the space's time zone may lie in the month before.
    PERFORM ${schema}.ensure_month(moment - interval '1 day'), ${schema}.ensure_month(moment);
  END LOOP;
  INSERT INTO ${schema}.dimensions AS d (kind, value, label)
    SELECT DISTINCT ON (n.kind, n.value) n.kind, n.value, n.label
    FROM jsonb_array_elements(hours) AS h, jsonb_array_elements(h.value->'rows') AS r,
      LATERAL (VALUES ('plan', r.value->>'plan', r.value->>'planName'), ('key', r.value->>'key', r.value->>'keyName'),
        ('model', r.value->>'model', ''), ('tool', r.value->>'tool', r.value->>'toolName')) AS n (kind, value, label)
    ORDER BY n.kind, n.value
    ON CONFLICT (kind, value) DO UPDATE SET label = excluded.label
    WHERE excluded.label <> '' AND d.label <> excluded.label AND (d.label = '' OR ${schema}.is_lead());
  DELETE FROM ${schema}.usage_hours WHERE machine = its_machine
    AND hour IN (SELECT date_trunc('hour', (h.value->>'hour')::timestamptz, 'UTC') FROM jsonb_array_elements(hours) AS h);
  INSERT INTO ${schema}.usage_hours
    SELECT date_trunc('hour', (h.value->>'hour')::timestamptz, 'UTC'), who, its_machine, plan.id, key.id, model.id, tool.id,
      ${counts.map((count) => `sum((r.value->>'${count}')::bigint)`).join(', ')}
    FROM jsonb_array_elements(hours) AS h, jsonb_array_elements(h.value->'rows') AS r
    ${(['plan', 'key', 'model', 'tool'] as const).map((one) => `JOIN ${schema}.dimensions AS ${one} ON ${one}.kind = '${one}' AND ${one}.value = r.value->>'${one}'`).join('\n    ')}
    GROUP BY 1, 4, 5, 6, 7;
  GET DIAGNOSTICS added = ROW_COUNT;
  RETURN added;
END $$;
`
