import { createHash } from 'node:crypto'
import { dayMs, hourMs } from '@shared/durations'
import { sql } from 'kysely'
import type { PlanRecord, SettingsStore } from '../settings/settings'
import type { HourSum } from '../usage/ports'
import { teamKeyId, teamPlanId } from '../usage/team-figures'
import type { TeamDatabase } from './database'
import type { TeamState } from './local-state'

/** So far back sums are looked at: a tool's log may be read late. */
const wholeMs = 90 * dayMs
/** So far back when budgets of the team wait for what was counted just now. */
const recentMs = 2 * hourMs
const mostHours = 100
const mostRows = 5_000

interface UsagePushDeps {
  readonly settings: SettingsStore
  readonly state: TeamState
  readonly database: TeamDatabase
  readonly machineUid: string
  readonly hourSums: (from: number) => Promise<readonly HourSum[]>
  readonly toolName: (toolId: string) => Promise<string>
  readonly clock: () => Date
  /** The last hours alone. */
  readonly isRecent: boolean
}

/** Sends sums by hour: whole hours that are others than when they were sent last. An hour that is sent again takes the place of itself. */
export async function pushUsage(deps: UsagePushDeps): Promise<number> {
  const { state, database, machineUid, clock } = deps
  const from = clock().getTime() - (deps.isRecent ? recentMs : wholeMs)
  const rows = await deps.hourSums(from)
  const sent = state.sentHours()
  const hours = new Map<number, UsageRow[]>()
  for (const [hour] of sent) if (hour >= from) hours.set(hour, [])
  const toolNames = new Map<string, string>()
  for (const toolId of new Set(rows.map((row) => row.toolId)))
    toolNames.set(toolId, toolId === '' ? '' : await deps.toolName(toolId))
  const toRow = rowWriter(deps, toolNames)
  for (const row of rows) hours.set(row.start, [...(hours.get(row.start) ?? []), toRow(row)])
  const changed = [...hours]
    .map(([hour, its]) => ({ hour, its, digest: digestOf(its) }))
    .filter(({ hour, digest }) => sent.get(hour) !== digest)
    .sort((a, b) => a.hour - b.hour)
  for (const batch of batchesOf(changed)) {
    const json = JSON.stringify(batch.map(({ hour, its }) => ({ hour: new Date(hour).toISOString(), rows: its })))
    await database.transaction((db) =>
      sql`SELECT companion_team.push_usage(${machineUid}::uuid, ${json}::jsonb)`.execute(db),
    )
    state.setSentHours(new Map(batch.map(({ hour, digest }) => [hour, digest])), clock().toISOString())
  }
  if (changed.length === 0) state.setSentHours(new Map(), clock().toISOString())
  return changed.length
}

/** One row of an hour: ids and names, and what was counted. */
interface UsageRow {
  readonly plan: string
  readonly planName: string
  readonly key: string
  readonly keyName: string
  readonly model: string
  readonly tool: string
  readonly toolName: string
  readonly requests: number
  readonly errors: number
  readonly input: number
  readonly output: number
  readonly cache: number
}

/** The ids of the account where there is one, so that a plan is the same on every computer; else its name and address. */
function rowWriter({ settings }: UsagePushDeps, toolNames: ReadonlyMap<string, string>): (sum: HourSum) => UsageRow {
  const plans = new Map<string, PlanRecord>(settings.read().plans.map((plan) => [plan.id, plan]))
  return ({ planId, keyId, toolId, modelCode, requests, errors, inputTokens, outputTokens, cacheTokens }) => {
    const plan = plans.get(planId)
    const key = plan?.keys.find(({ id }) => id === keyId)
    return {
      plan: (plan ? teamPlanId(plan) : planId).slice(0, 500),
      planName: (plan?.name ?? '').slice(0, 200),
      key: (plan && key ? teamKeyId(plan, key) : keyId).slice(0, 500),
      keyName: (key?.name ?? '').slice(0, 200),
      model: modelCode.slice(0, 500),
      tool: toolId.slice(0, 500),
      toolName: (toolNames.get(toolId) ?? '').slice(0, 200),
      ...{ requests, errors, input: inputTokens, output: outputTokens, cache: cacheTokens },
    }
  }
}

const digestOf = (rows: readonly UsageRow[]): string =>
  createHash('sha256')
    .update(JSON.stringify(rows.map((row) => JSON.stringify(row)).sort()))
    .digest('base64')

interface Changed {
  readonly hour: number
  readonly its: readonly UsageRow[]
  readonly digest: string
}

function batchesOf(changed: readonly Changed[]): Changed[][] {
  const batches: Changed[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const one of changed) {
    const batch = batches.at(-1)
    if (batch === undefined || batch.length >= mostHours || rows + one.its.length > mostRows) {
      batches.push([one])
      rows = one.its.length
    } else {
      batch.push(one)
      rows += one.its.length
    }
  }
  return batches
}
