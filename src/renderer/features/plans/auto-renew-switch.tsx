import type { AccountPlanView } from '@shared/contract'
import { CompactSwitch } from '../../ui/compact-switch'
import { useIsRenewed } from './use-auto-renew'

/** The auto-renew switch of one plan, in a table. */
export function AutoRenewSwitch({
  connectionId,
  plan,
  label,
  tabIndex,
  onSet,
}: {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly label: string
  readonly tabIndex: number
  readonly onSet: (plan: AccountPlanView, isOn: boolean) => void
}) {
  return (
    <CompactSwitch
      label={label}
      checked={useIsRenewed(connectionId, plan)}
      onCheckedChange={(isOn) => onSet(plan, isOn)}
      disabled={plan.status === 'EXPIRED'}
      tabIndex={tabIndex}
    />
  )
}
