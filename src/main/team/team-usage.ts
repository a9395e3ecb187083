import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { TeamFigures, TeamQuestion, TeamSplit } from '../usage/team-figures'
import { readRows, type TeamDatabase } from './database'
import { type UsageDimension, usageGroupings } from './usage-schema'

const Counts = {
  requests: z.coerce.number().int(),
  errors: z.coerce.number().int(),
  input: z.coerce.number().int(),
  output: z.coerce.number().int(),
  cache: z.coerce.number().int(),
}
const Sum = z.object({ t: z.iso.datetime(), part: z.number().int(), ...Counts })
const Share = z.object({ part: z.number().int(), value: z.string(), label: z.string(), ...Counts })

const countsOf = ({ requests, errors, input, output, cache }: z.infer<typeof Share> | z.infer<typeof Sum>) => ({
  ...{ requests, errors, inputTokens: input, outputTokens: output, cacheTokens: cache },
})

const mostShares = 200

/** Sums, whatever rows they come from. */
const summed = sql.raw(
  ['requests', 'errors', 'input', 'output', 'cache'].map((one) => `sum(s.${one})::bigint AS ${one}`).join(', '),
)

/** Usage of the team: sums by day for the usual questions, and the hours themselves where those of a person or a computer are wanted. */
export class TeamUsage implements TeamFigures {
  /** `isMember`: only rows that keep people apart are shown to them. */
  constructor(
    private readonly database: () => Promise<TeamDatabase>,
    private readonly isMember: boolean,
  ) {}

  async firstMoment(): Promise<number | undefined> {
    const database = await this.database()
    const [row] = await database.rows(
      z.object({ first: z.iso.datetime().nullable() }),
    )`SELECT min(t) AS first FROM companion_team.usage_sums WHERE "grouping" = 4`
    return row?.first == null ? undefined : Date.parse(row.first)
  }

  async shares(question: TeamQuestion, by: TeamSplit) {
    const database = await this.database()
    const { from, where } = source(question, 'day', this.#needed(by))
    const column = sql.id('s', by)
    const named: Record<TeamSplit, RawBuilder<unknown>> = {
      person: sql`JOIN companion_team.people AS n ON n.id = f.part`,
      machine: sql`JOIN companion_team.machines AS n ON n.id = f.part`,
      plan: dimension,
      key: dimension,
      model: dimension,
      tool: dimension,
    }
    const isNamed = by === 'person' || by === 'machine'
    const [value, label] = isNamed ? [sql`n.id::text`, sql`n.name`] : [sql`n.value`, sql`n.label`]
    const rows = await database.run(async (db) =>
      readRows(
        Share,
        (
          await sql`SELECT f.part, ${value} AS value, ${label} AS label, f.requests, f.errors, f.input, f.output, f.cache FROM (
            SELECT ${column} AS part, ${summed} FROM ${from} WHERE ${where} GROUP BY ${column}
            ORDER BY sum(s.requests) DESC, ${column} LIMIT ${sql.lit(mostShares)}) AS f ${named[by]}
            WHERE f.requests > 0 ORDER BY f.requests DESC, f.part`.execute(db)
        ).rows,
      ),
    )
    return rows.map((row) => ({ id: row.value, ...(row.label !== '' && { name: row.label }), ...countsOf(row) }))
  }

  async sums(
    question: TeamQuestion,
    unit: 'hour' | 'day',
    split?: { readonly by: TeamSplit; readonly ids: readonly string[] },
  ) {
    const database = await this.database()
    const { from, where, t } = source(question, unit, this.#needed(split?.by))
    // What is none of the parts is together, as part 0.
    const ids = split ? await this.#numbersOf(database, split.by, split.ids) : []
    const part = split
      ? sql`CASE WHEN ${sql.id('s', split.by)} = ANY(${ids}::int[]) THEN ${sql.id('s', split.by)} ELSE 0 END`
      : sql`0`
    const rows = await database.run(async (db) =>
      readRows(
        Sum,
        (await sql`SELECT ${t} AS t, ${part} AS part, ${summed} FROM ${from} WHERE ${where} GROUP BY 1, 2`.execute(db))
          .rows,
      ),
    )
    return rows.map((row) => ({
      at: Date.parse(row.t),
      part: ids.indexOf(row.part),
      ...countsOf(row),
    }))
  }

  #needed(by: TeamSplit | undefined): readonly UsageDimension[] {
    return [...(by ? [by] : []), ...(this.isMember ? ['person' as const] : [])]
  }

  /** Their numbers in the database, in this order; 0 never stands for a part, so that one that is gone matches nothing. */
  async #numbersOf(database: TeamDatabase, by: TeamSplit, ids: readonly string[]): Promise<number[]> {
    if (by === 'person' || by === 'machine') return ids.map(Number)
    const rows = await database.rows(
      z.object({ id: z.number().int(), value: z.string() }),
    )`SELECT id, value FROM companion_team.dimensions WHERE kind = ${by} AND value = ANY(${ids}::text[])`
    return ids.map((one) => rows.find(({ value }) => value === one)?.id ?? -1)
  }
}

const dimension = sql`JOIN companion_team.dimensions AS n ON n.id = f.part`

const filters = {
  person: 'personId',
  machine: 'machineId',
  plan: 'planId',
  key: 'keyId',
  model: 'modelCode',
  tool: 'toolId',
} as const satisfies Record<UsageDimension, keyof TeamQuestion>

/** The smallest table that keeps apart what is asked for; by the hour, the hours themselves where there is none. */
function source(question: TeamQuestion, unit: 'hour' | 'day', apart: readonly UsageDimension[]) {
  const wanted = Object.entries(filters).flatMap(([name, field]) => {
    const value = question[field]
    return value === undefined ? [] : [{ name: name as UsageDimension, value }]
  })
  const needed: readonly UsageDimension[] = [...wanted.map(({ name }) => name), ...apart]
  const grouping = usageGroupings.find((one) => one.unit === unit && needed.every((name) => one.by.includes(name)))
  const [from, to] = [new Date(question.from).toISOString(), new Date(question.to).toISOString()]
  const t = grouping ? sql`s.t` : sql`s.hour`
  const begin =
    unit === 'day'
      ? sql`date_trunc('day', ${from}::timestamptz, (SELECT zone FROM companion_team.space))`
      : sql`${from}::timestamptz`
  const conditions = [
    ...(grouping ? [sql`s.grouping = ${sql.lit(grouping.id)}`] : []),
    sql`${t} >= ${begin} AND ${t} < ${to}::timestamptz`,
    // The hours are found by their computer.
    ...(grouping === undefined && question.personId !== undefined
      ? [sql`s.machine IN (SELECT id FROM companion_team.machines WHERE person = ${Number(question.personId)}::int)`]
      : []),
    ...wanted.map(({ name, value }) =>
      name === 'person' || name === 'machine'
        ? sql`${sql.id('s', name)} = ${Number(value)}::int`
        : sql`${sql.id('s', name)} = (SELECT id FROM companion_team.dimensions WHERE kind = ${name} AND value = ${value})`,
    ),
  ]
  const table = grouping ? sql`companion_team.usage_sums AS s` : sql`companion_team.usage_hours AS s`
  return { from: table, where: sql.join(conditions, sql` AND `), t }
}
