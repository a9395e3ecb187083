import { isDeepStrictEqual } from 'node:util'
import type { BudgetInput, BudgetSubject } from '@shared/contract'
import { mostBudgets } from '@shared/contract/budgets'
import { sql } from 'kysely'
import { z } from 'zod'
import { BudgetRecord } from '../settings/records'
import type { SettingsStore } from '../settings/settings'
import { readRows, type TeamDatabase } from './database'

const BudgetRow = z.object({
  id: z.string(),
  name: z.string(),
  subject_kind: z.string(),
  subject: z.string(),
  plan: z.string().nullable(),
  subject_name: z.string(),
  also_keys: z.array(z.string()),
  unit: z.string(),
  amount: z.number(),
  period: z.string(),
  action: z.string(),
  cycle_ends_at: z.iso.datetime().nullable(),
  cycle_days: z.number().nullable(),
  created_at: z.string(),
  version: z.number().int(),
  zone: z.string(),
  began: z.iso.datetime().nullable(),
  ends: z.iso.datetime().nullable(),
  used: z.number().nullable(),
})

interface BudgetSyncDeps {
  readonly settings: SettingsStore
  readonly database: TeamDatabase
  readonly machineUid: string
  readonly isLead: boolean
}

/**
 * Budgets of the team between the settings and the space. What a lead changed here and was not sent is marked in the settings; a change counts if nobody
 * changed the same budget before, else theirs is in force and this one is kept beside it.
 */
export class BudgetSync {
  constructor(private readonly deps: BudgetSyncDeps) {}

  async run(): Promise<void> {
    if (this.deps.isLead) await this.#send()
    this.#adopt(await this.#rows())
  }

  async #send(): Promise<void> {
    const { settings, database } = this.deps
    for (const budget of settings.read().budgets.filter(({ team }) => team?.isWaiting)) {
      const { rows } = await database.run((db) => writeOf(budget).execute(db))
      const [written] = readRows(z.object({ version: z.number().int() }), rows)
      if (written === undefined) continue
      settings.update(({ budgets }) => ({
        budgets: budgets.flatMap((one) => {
          if (one.id !== budget.id || one.team === undefined) return [one]
          const isSent = isDeepStrictEqual(one, budget)
          if (isSent && one.team.isRemoved) return []
          return [{ ...one, team: { ...one.team, version: written.version, isWaiting: !isSent } }]
        }),
      }))
    }
  }

  #rows(): Promise<z.output<typeof BudgetRow>[]> {
    return this.deps.database.rows(
      BudgetRow,
    )`SELECT b.id, b.name, b.subject_kind, b.subject, b.plan, b.subject_name, b.also_keys, b.unit, b.amount, b.period, b.action, b.cycle_ends_at, b.cycle_days,
      b.created_at, b.version, (SELECT zone FROM companion_team.space) AS zone, u.began, u.ends, u.used
      FROM companion_team.budgets AS b LEFT JOIN LATERAL companion_team.budget_used(b.id, ${this.deps.machineUid}::uuid) AS u ON true
      ORDER BY b.created_at, b.id LIMIT ${mostBudgets}`
  }

  #adopt(rows: readonly z.output<typeof BudgetRow>[]): void {
    const theirs = rows.flatMap((row) => recordOf(row) ?? [])
    const merged = (budgets: readonly BudgetRecord[]): BudgetRecord[] => [
      ...budgets.flatMap((one) =>
        one.team === undefined
          ? [one]
          : merge(
              one,
              theirs.find(({ id }) => id === one.id),
            ),
      ),
      ...theirs.filter(({ id }) => !budgets.some((one) => one.id === id)),
    ]
    const { settings } = this.deps
    const { budgets } = settings.read()
    if (isDeepStrictEqual(merged(budgets), budgets)) return
    settings.update((now) => ({ budgets: merged(now.budgets) }))
  }
}

/** A budget of the team as it is to be here. */
function merge(mine: BudgetRecord, theirs: BudgetRecord | undefined): BudgetRecord[] {
  const { team } = mine
  if (team === undefined) return [mine]
  if (theirs?.team === undefined) {
    // Somebody removed it: what was changed here meanwhile is made anew.
    return team.isWaiting && !team.isRemoved ? [{ ...mine, team: { ...team, version: 0 } }] : []
  }
  const replacing = (replaced: BudgetInput | undefined): BudgetRecord[] => [
    { ...theirs, ...(theirs.team && { team: { ...theirs.team, ...(replaced && { replaced }) } }) },
  ]
  if (!team.isWaiting) return replacing(team.replaced)
  const { elsewhere, zone, version } = theirs.team
  if (version === team.version) return [{ ...mine, team: { ...team, ...(elsewhere && { elsewhere }), zone } }]
  return replacing(team.isRemoved || isDeepStrictEqual(inputOf(mine), inputOf(theirs)) ? undefined : inputOf(mine))
}

const inputOf = ({ id, name, subject, unit, limit, period, action }: BudgetRecord): BudgetInput => ({
  ...{ id, name, subject, unit, limit, period, action, isTeam: true },
})

/** Writes what was changed here, if it is of the version that it was changed from. */
function writeOf({ id, name, subject, unit, limit, period, action, alsoKeyIds, createdAt, team }: BudgetRecord) {
  const { version = 0, subjectName = '', cycle, isRemoved } = team ?? {}
  if (isRemoved)
    return sql`DELETE FROM companion_team.budgets WHERE id = ${id}::uuid AND version = ${version} RETURNING version`
  const values = {
    ...{ id, name, unit, amount: limit, period, action, also_keys: alsoKeyIds, created_at: createdAt },
    ...{ subject_kind: subject.kind, subject: subjectIdOf(subject), subject_name: subjectName },
    plan: subject.kind === 'key' ? subject.planId : null,
    cycle_ends_at: cycle ? new Date(cycle.endsAt).toISOString() : null,
    cycle_days: cycle?.days ?? null,
  }
  const columns = sql.join(Object.keys(values).map((column) => sql.id(column)))
  const given = sql.join(Object.values(values))
  return version === 0
    ? sql`INSERT INTO companion_team.budgets (${columns}) VALUES (${given}) ON CONFLICT DO NOTHING RETURNING version`
    : sql`UPDATE companion_team.budgets SET (${columns}) = ROW (${given}) WHERE id = ${id}::uuid AND version = ${version} RETURNING version`
}

function subjectIdOf(subject: BudgetSubject): string {
  switch (subject.kind) {
    case 'plan':
      return subject.planId
    case 'key':
      return subject.keyId
    case 'tool':
      return subject.toolId
    case 'model':
      return subject.modelCode
    case 'person':
      return subject.name
  }
}

/** Undefined for one that only a newer version understands. */
function recordOf(row: z.output<typeof BudgetRow>): BudgetRecord | undefined {
  const { id, name, unit, amount: limit, period, action, version, zone, subject, began, ends, used } = row
  const [endsAt, days] = [Date.parse(row.cycle_ends_at ?? ''), row.cycle_days]
  const subjects: Readonly<Record<string, object>> = {
    plan: { planId: subject },
    key: { planId: row.plan, keyId: subject },
    tool: { toolId: subject },
    model: { modelCode: subject },
    person: { name: subject },
  }
  return BudgetRecord.safeParse({
    ...{ id, name, subject: { kind: row.subject_kind, ...subjects[row.subject_kind] }, unit, limit, period, action },
    ...{ alsoKeyIds: row.also_keys, createdAt: row.created_at },
    team: {
      ...{ version, isWaiting: false, isRemoved: false, subjectName: row.subject_name, zone },
      ...(!Number.isNaN(endsAt) && days !== null && { cycle: { endsAt, days } }),
      ...(began !== null &&
        ends !== null &&
        used !== null && { elsewhere: { from: Date.parse(began), to: Date.parse(ends), used } }),
    },
  }).data
}
