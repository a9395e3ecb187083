import type { AccountPlanView, PlanModelView, PlanView } from '@shared/contract'
import type { CommandContext } from './context'
import { headings, keyRow, localKeyRow } from './key-lines'
import { type ConnectionOption, findPlan, readKnownPlans } from './known-plans'
import { exactMoment, nowThere } from './moment-words'
import { inLine, print, table } from './output'
import { tellUnread } from './plan-list'
import { atExpiry, counted, handedStanding, left, money, standing } from './plan-words'

/** Prints one plan with its models and keys, as `{plan, keys}` in JSON. Fails as `findPlan` does. */
export async function showPlan(context: CommandContext, wanted: string, option: ConnectionOption): Promise<void> {
  const { core, output } = context
  const known = await readKnownPlans(core, option)
  const entry = findPlan(known, wanted)
  tellUnread(output, known)
  const now = new Date()
  if (entry.kind === 'local') {
    const { plan } = entry
    const keys = table(headings, plan.keys.map(localKeyRow))
    return print(output, { plan, keys: plan.keys }, () => [...localFacts(plan, nowThere(now, plan)), '', ...keys])
  }
  const { plan, local, connectionId } = entry
  const keys = await core.account.keys({ connectionId, planId: plan.planId })
  print(output, { plan, keys }, () => [
    ...accountFacts(plan, { now: nowThere(now, plan), local }),
    '',
    ...(plan.models.length > 0 ? table(modelHeadings, plan.models.map(modelRow)) : ['It names no models.']),
    '',
    ...(keys.length > 0 ? table(headings, keys.map(keyRow)) : ['It has no keys. "companion key add" adds one.']),
  ])
}

/** Names and values under each other, the values aligned. */
function facts(rows: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${inLine(value)}`)
}

function accountFacts(plan: AccountPlanView, { now, local }: { now: Date; local: PlanView | undefined }): string[] {
  const { name, planId, planType, purchasedAt, cycleDays, total, keysUsed, maxKeys, usedBy, renewal } = plan
  const nextAttempt = renewal?.nextAttemptAt ? `; next attempt ${exactMoment(renewal.nextAttemptAt)}` : ''
  return facts([
    ['plan', name],
    ['id', planId],
    ['from', 'account'],
    ['type', planType],
    ['status', standing(plan) + nextAttempt],
    ['bought', exactMoment(purchasedAt)],
    ['auto-renew', plan.autoRenew ? 'on' : 'off'],
    ['at its end', atExpiry(plan, now)],
    ['price', `${money(total)} for ${counted(cycleDays, 'day')}`],
    ['gateway', plan.provisioned ? plan.gatewayUrl : 'appears when provisioning is done'],
    ['keys', `${keysUsed} of ${maxKeys}`],
    ['here', local ? `as ${local.name}, with ${counted(local.keys.length, 'key')}` : 'no key of it'],
    ['used by', usedBy.join(', ') || '-'],
  ])
}

function localFacts(plan: PlanView, now: Date): string[] {
  return facts([
    ['plan', plan.name],
    ['id', plan.id],
    ['from', plan.origin ? 'an account that is not asked here' : 'handed over by key'],
    ['status', handedStanding(plan, now)],
    ['ends', plan.expiresAt ? exactMoment(plan.expiresAt) : 'not known'],
    ['gateway', plan.gatewayUrl],
    ['models', plan.models.join(', ') || '-'],
    ['used by', plan.usedBy.join(', ') || '-'],
  ])
}

const modelHeadings = ['MODEL', 'STATUS', 'TOKENS LEFT', 'REQUESTS LEFT', 'TYPES', 'HOSTING', 'ENDPOINT']

function modelRow(model: PlanModelView): string[] {
  const { modelCode, status, tokenQuota, tokensUsed, requestQuota, requestsUsed } = model
  const types = model.enabledTypes.join(', ') || '-'
  const allowances = [left(tokenQuota, tokensUsed), left(requestQuota, requestsUsed)]
  return [modelCode, status.toLowerCase() || '-', ...allowances, types, model.hostingMode || '-', model.endpoint || '-']
}
