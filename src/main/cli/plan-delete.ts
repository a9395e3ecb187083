import type { AccountPlanView, DeletionPreview } from '@shared/contract'
import { AppError } from '@shared/failure'
import { confirm, type YesOption } from './confirm'
import type { CommandContext } from './context'
import { type ConnectionOption, openAccount } from './known-plans'
import { print } from './output'
import { counted, money } from './plan-words'

const mostAtOnce = 100

/**
 * Deletes plans of the account, after telling what that stops. Prints what became of each; the exit code is 1 when one is left. Fails with
 * `input.invalid` without `--yes`, and when a plan is not there; then nothing is deleted.
 */
export async function deletePlans(
  { core, output }: CommandContext,
  wanted: readonly string[],
  { yes = false, ...option }: ConnectionOption & YesOption,
): Promise<void> {
  const { connectionId, find } = await openAccount(core, option)
  const plans = [...new Set(wanted.map(find))]
  if (plans.length > mostAtOnce) {
    throw new AppError('input.invalid', `At most ${mostAtOnce} plans can be deleted at once.`, { field: 'plan' })
  }
  const planIds = plans.map(({ planId }) => planId)
  confirm(output, previewLines(await core.account.previewDelete({ connectionId, planIds })), { yes })
  const outcome = await core.account.deletePlans({ connectionId, planIds })
  const nameOf = nameIn(plans)
  print(output, outcome, () =>
    outcome.deleted.map(({ planId, refund }) =>
      refund === undefined
        ? `Deleted ${nameOf(planId)}; the answer was lost, so what went back to the credits is not known.`
        : `Deleted ${nameOf(planId)}; ${money(refund)} went back to the credits.`,
    ),
  )
  for (const { planId, code, message } of outcome.failed) {
    output.err(`Not deleted: ${nameOf(planId)}. ${message} (${code})\n`)
  }
  for (const name of outcome.notForgotten) {
    output.err(`The keychain did not give up the dead keys of ${name}: "companion plan remove ${name}" tries again.\n`)
  }
  if (outcome.failed.length + outcome.notForgotten.length > 0) process.exitCode = 1
}

const nameIn = (plans: readonly AccountPlanView[]) => (planId: string) => {
  const name = plans.find((plan) => plan.planId === planId)?.name
  return name === undefined ? planId : `${name} (${planId})`
}

function previewLines(previews: readonly DeletionPreview[]): string[] {
  const refund = previews.reduce((sum, { estimatedRefund }) => sum + estimatedRefund, 0)
  const total = previews.length > 1 ? [`Estimated refund of all ${previews.length}: ${money(refund)}.`] : []
  return [
    ...previews.flatMap(linesOf),
    ...total,
    'The refund is worked out from what is unused; the platform decides. Deleting cannot be undone.',
  ]
}

function linesOf({ planId, name, keys, tools, estimatedRefund }: DeletionPreview): string[] {
  const stopped = keys.length > 0 ? `${counted(keys.length, 'key')} at once: ${keys.join(', ')}` : 'no key: it has none'
  return [
    `Deleting ${name} (${planId}) stops ${stopped}.`,
    tools.length > 0 ? `  Tools on this machine that stop: ${tools.join(', ')}.` : '  No tool on this machine uses it.',
    `  Estimated refund: ${money(estimatedRefund)}.`,
  ]
}
