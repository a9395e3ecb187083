import type { AccountPlanView, PlanView } from '@shared/contract'
import type { CommandContext } from './context'
import { type ConnectionOption, type KnownPlans, type PlanEntry, readKnownPlans } from './known-plans'
import { dayOf, nowThere, relativeWords } from './moment-words'
import { print, table } from './output'
import { ending, handedStanding, standing, tightest } from './plan-words'

/**
 * Prints the account's plans and those of this machine. When the account cannot be asked the latter are printed all the same; the reason goes
 * to standard error, and the exit code is 1 unless there is no console to ask.
 */
export async function listPlans({ core, output }: CommandContext, option: ConnectionOption): Promise<void> {
  const known = await readKnownPlans(core, option)
  tellUnread(output, known)
  if (known.failure && known.failure.failure.code !== 'api.notConfigured') process.exitCode = 1
  const local = core.plans.list()
  const names = new Map(core.connections.list().map(({ id, name }) => [id, name]))
  print(output, [...(known.account ?? []), ...local], () => {
    if (known.account === undefined) return localLines(local)
    if (known.entries.length === 0) return noneAtAll
    const place = { now: new Date(), originOf: (plan: PlanView) => originOf(plan, known, names) }
    return table(
      headings,
      known.entries.map((entry) => rowOf(entry, place)),
    )
  })
}

/** Says on standard error why the account's plans are missing. */
export function tellUnread(output: CommandContext['output'], { connection, failure }: KnownPlans): void {
  if (!failure) return
  output.err(`The plans of the account of ${connection?.name} are not known now: ${failure.message}\n`)
}

const noneAtAll = [
  'No plans yet. "companion plan packages" shows what the account can buy; "companion plan add" adds a key that was handed to you.',
]

/** Without an account to ask, what is known is what this machine keeps. */
function localLines(plans: readonly PlanView[]): readonly string[] {
  const row = (plan: PlanView): string[] => [
    plan.name,
    plan.gatewayUrl,
    plan.keys[0]?.masked ?? '',
    plan.models.join(', ') || '-',
    plan.usedBy.join(', ') || '-',
  ]
  if (plans.length === 0) return ['No plans yet. Add one with "companion plan add".']
  return table(['NAME', 'GATEWAY', 'KEY', 'MODELS', 'USED BY'], plans.map(row))
}

const headings = ['NAME', 'FROM', 'TYPE', 'STATUS', 'ENDS', 'RENEWS', 'KEYS', 'TIGHTEST LEFT', 'USED BY', 'ID']

interface Place {
  readonly now: Date
  readonly originOf: (plan: PlanView) => string
}

const rowOf = (entry: PlanEntry, place: Place): string[] =>
  entry.kind === 'account' ? accountRow(entry.plan, place) : localRow(entry.plan, place)

function accountRow(plan: AccountPlanView, place: Place): string[] {
  const now = nowThere(place.now, plan)
  const { name, planType, autoRenew, keysUsed, maxKeys, models, usedBy, planId } = plan
  const [renews, keys] = [autoRenew ? 'yes' : 'no', `${keysUsed}/${maxKeys}`]
  const stands = [standing(plan), ending(plan, now), renews, keys, tightest(models)]
  return [name, 'account', planType, ...stands, usedBy.join(', ') || '-', planId]
}

function localRow(plan: PlanView, { now: ours, originOf }: Place): string[] {
  const now = nowThere(ours, plan)
  const { name, expiresAt, usedBy, id } = plan
  const ends = expiresAt === undefined ? '-' : `${relativeWords(expiresAt, now)} (${dayOf(expiresAt)})`
  return [name, originOf(plan), '-', handedStanding(plan, now), ends, '-', '-', '-', usedBy.join(', ') || '-', id]
}

/** Where a plan came from that the account does not have (any more). */
function originOf(
  { source, origin }: PlanView,
  { connection }: KnownPlans,
  names: ReadonlyMap<string, string>,
): string {
  if (!origin) return source === 'sandbox' ? 'sandbox' : 'handed over'
  if (origin.connectionId === connection?.id) return 'gone at the account'
  const name = names.get(origin.connectionId)
  return name === undefined ? 'an account' : `account of ${name}`
}
