/**
 * Limits that leads set for the whole team, and what others used of them. Plans and keys are named as in the sums of usage. A member reads those of their
 * own name, of every tool and model, and of plans and keys that they hold or have sent usage of.
 */
export const budgetSchema = (schema: string, { lead, member }: { readonly lead: string; readonly member: string }) => `
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
