import type { CommandContext } from './context'
import { type ConnectionOption, findAccountPlan } from './known-plans'
import { nowThere } from './moment-words'
import { print } from './output'
import { atExpiry } from './plan-words'

/** Switches auto-renew and says what happens at the exact expiry. Fails with `account.planExpired` after it. */
export async function renewPlan(
  { core, output }: CommandContext,
  wanted: string,
  { autoRenew, ...option }: ConnectionOption & { readonly autoRenew: boolean },
): Promise<void> {
  const { of } = await findAccountPlan(core, wanted, option)
  const plan = await core.account.setAutoRenew({ ...of, autoRenew })
  print(output, plan, () => [
    `Auto-renew of ${plan.name} is ${plan.autoRenew ? 'on' : 'off'}. ${atExpiry(plan, nowThere(new Date(), plan))}`,
  ])
}
