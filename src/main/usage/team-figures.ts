import type { UsageCounts, UsageFilter, UsageSplit, UsageStep } from '@shared/contract/usage'
import { AppError } from '@shared/failure'
import type { KeyRecord, PlanRecord } from '../settings/settings'
import type { CountedStep } from './console-usage'
import type { Calendar } from './ledger/calendar'
import { noCounts, plus } from './ledger/sums'
import type { HourOfModel } from './ports'
import type { Part, StackRow } from './stacks'

/** What a team's figures can be split by. */
export type TeamSplit = Exclude<UsageSplit, 'source' | 'error'>

/** Which sums; plans and keys by the ids that the team knows them by, times in ms. */
export type TeamQuestion = Pick<UsageFilter, 'planId' | 'keyId' | 'modelCode' | 'toolId' | 'personId' | 'machineId'> & {
  readonly from: number
  readonly to: number
}

/** What a team space is asked for. Fails with `team.*`. */
export interface TeamFigures {
  /** When the first hour of the team began. */
  firstMoment(): Promise<number | undefined>
  /** The biggest first. */
  shares(question: TeamQuestion, by: TeamSplit): Promise<readonly (UsageCounts & { id: string; name?: string })[]>
  /** Sums by hour, or by day of the team's time zone; `part` is the place of an id among `ids`, -1 for all others together. */
  sums(
    question: TeamQuestion,
    unit: 'hour' | 'day',
    split?: { readonly by: TeamSplit; readonly ids: readonly string[] },
  ): Promise<readonly (UsageCounts & { readonly at: number; readonly part: number })[]>
}

interface Steps {
  readonly from: number
  readonly to: number
  readonly step: UsageStep
  readonly calendar: Calendar
}

/** Fails with `input.invalid` for what a team does not keep apart. */
export function teamSplit(by: UsageSplit): TeamSplit {
  if (by !== 'source' && by !== 'error') return by
  throw new AppError('input.invalid', `A team's usage is not split by ${by}.`, { field: 'by' })
}

/** A filter of the window for the team: a plan and a key of this computer by what they are called at their account. */
export function teamQuestion(
  { planId, keyId, modelCode, toolId, personId, machineId, from, to }: UsageFilter,
  plans: readonly PlanRecord[],
): TeamQuestion {
  const plan = plans.find(({ id }) => id === planId)
  const keyPlan = plans.find(({ keys }) => keys.some(({ id }) => id === keyId))
  const key = keyPlan?.keys.find(({ id }) => id === keyId)
  return {
    ...{ modelCode, toolId, personId, machineId, from: Date.parse(from), to: Date.parse(to) },
    planId: plan ? teamPlanId(plan) : planId,
    keyId: keyPlan && key ? teamKeyId(keyPlan, key) : keyId,
  }
}

type TeamPlan = Pick<PlanRecord, 'name' | 'gatewayUrl'> & { readonly origin?: { readonly planId: string } | undefined }

/** How a team knows a plan: by its id at the account, which is the same on every computer, else by name and address. */
export const teamPlanId = ({ origin, name, gatewayUrl }: TeamPlan): string =>
  (origin?.planId ?? `${name} ${gatewayUrl}`).slice(0, longestId)

/** How a team knows a key. */
export const teamKeyId = (plan: PlanRecord, { origin, name }: KeyRecord): string =>
  (origin?.keyId ?? `${teamPlanId(plan)} ${name}`).slice(0, longestId)

const longestId = 500

/** Every step of a span. */
export async function teamSteps(figures: TeamFigures, question: TeamQuestion, steps: Steps): Promise<CountedStep[]> {
  const rows = await teamStacks(figures, { ...question, from: steps.from, to: steps.to }, { steps, parts: [] })
  return rows.map(({ start, all }) => ({ start, ...all }))
}

/** What all computers of the team used of a plan of this one, hour by hour. */
export async function teamHours(
  figures: TeamFigures,
  plan: TeamPlan & { readonly id: string },
  { from, to }: { readonly from: number; readonly to: number },
): Promise<HourOfModel[]> {
  const question = { planId: teamPlanId(plan), from, to }
  const models = (await figures.shares(question, 'model')).map(({ id }) => id)
  const rows = await figures.sums(question, 'hour', { by: 'model', ids: models })
  return rows.flatMap(({ at, part, ...counts }) => {
    const modelCode = models[part]
    return modelCode === undefined ? [] : [{ ...counts, start: at, planId: plan.id, modelCode }]
  })
}

/** Every step of a span, split. */
export async function teamStacks(
  figures: TeamFigures,
  question: TeamQuestion,
  { steps, parts, by }: { readonly steps: Steps; readonly parts: readonly Part[]; readonly by?: TeamSplit },
): Promise<StackRow[]> {
  const { from, to, step, calendar } = steps
  const starts = calendar.starts(step, from, to)
  const rows = starts.map((start) => ({ start, counts: parts.map((): UsageCounts => noCounts), all: noCounts }))
  const split = by && { by, ids: parts.map(({ id }) => id) }
  for (const { at, part, ...counts } of await figures.sums(question, step === 'hour' ? 'hour' : 'day', split)) {
    // The first day of a span may begin before it, where the team's time zone is another one.
    const row =
      rows[
        Math.max(
          0,
          starts.findLastIndex((start) => start <= at),
        )
      ]
    if (row === undefined) continue
    row.all = plus(row.all, counts)
    const before = row.counts[part]
    if (before !== undefined) row.counts[part] = plus(before, counts)
  }
  return rows
}
