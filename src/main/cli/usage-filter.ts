import type { UsageFilter, UsageScope } from '@shared/contract/usage'
import { AppError } from '@shared/failure'
import type { Core } from '../core'
import { findPlan, readKnownPlans } from './known-plans'
import { oneOf } from './one-of'
import type { UsageOptions } from './usage-options'
import { type Present, readWhen } from './usage-when'

const scopes: Readonly<Record<UsageOptions['source'], UsageScope>> = {
  machine: 'machine',
  console: 'console',
  relay: 'relay',
  'tool-logs': 'toolLog',
  app: 'app',
}

/** The filter of the contract that the options mean. Fails with `plan.notFound`, `key.notFound` or `input.invalid`. */
export async function filterOf(core: Core, options: UsageOptions, present: Present): Promise<UsageFilter> {
  const from = readWhen(options.from ?? '7d', 'from', present)
  const to = readWhen(options.to ?? 'now', 'to', present)
  if (from >= to) throw new AppError('input.invalid', '--from must be before --to.', { field: 'from' })
  const scope = scopes[options.source]
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const given = {
    ...(options.model === undefined ? {} : { modelCode: options.model }),
    ...(options.tool === undefined ? {} : { toolId: options.tool }),
  }
  const of = scope === 'console' ? await ofAccount(core, options) : ofMachine(core, options)
  return { scope, ...span, ...given, ...of }
}

type Of = Pick<UsageFilter, 'planId' | 'keyId' | 'connectionId'>

async function ofAccount(core: Core, options: UsageOptions): Promise<Of> {
  const known = await readKnownPlans(core, options)
  const entry = options.plan === undefined ? onlyOne(known) : findPlan(known, options.plan)
  if (entry.kind === 'local') {
    const message = `The plan ${entry.plan.name} is no plan of the account, so no console counts it here.`
    throw new AppError('input.invalid', message, { field: 'plan' })
  }
  const { connectionId, plan } = entry
  const of = { connectionId, planId: plan.planId }
  if (options.key === undefined) return of
  const idsAndNames = (await core.account.keys(of)).map(({ keyId: id, name }) => ({ id, name }))
  return { ...of, keyId: keyIn(idsAndNames, options.key) }
}

function onlyOne({ entries, failure }: Awaited<ReturnType<typeof readKnownPlans>>) {
  const plans = entries.filter(({ kind }) => kind === 'account')
  const [only] = plans
  if (only && plans.length === 1) return only
  if (failure) throw failure
  const names = plans.map(({ plan }) => plan.name).join(', ') || 'the account has none'
  throw new AppError('input.invalid', `The console counts plan by plan: name one with --plan (${names}).`, {
    field: 'plan',
  })
}

function ofMachine({ plans }: Core, { plan: wanted, key }: UsageOptions): Of {
  const plan = wanted === undefined ? undefined : plans.find(wanted)
  const of = plan === undefined ? {} : { planId: plan.id }
  const keys = plan?.keys ?? plans.list().flatMap((one) => one.keys)
  return key === undefined ? of : { ...of, keyId: keyIn(keys, key) }
}

function keyIn(keys: readonly { readonly id: string; readonly name: string }[], wanted: string): string {
  const found = oneOf(keys, wanted, { what: 'key', idsOf: ({ id }) => [id], namesOf: ({ name }) => [name] })
  if (found) return found.id
  throw new AppError('key.notFound', `There is no key ${wanted}. "companion key list PLAN" shows those of a plan.`)
}
