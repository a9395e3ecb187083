import type { AccountPlanView, PlanView } from '@shared/contract'
import { SearchX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState, Page } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { type Console, ConsoleFailure, useAccountPlans, useConsole } from '../account'
import { AccountPlan } from './account-plan'
import { HandedOverPlan } from './handed-over-plan'

function Gone() {
  const { t } = useTranslation('plans')
  return (
    <EmptyState
      icon={SearchX}
      title={t('page.gone')}
      actions={<ButtonLink to="/plans">{t('page.toPlans')}</ButtonLink>}
    >
      {t('account.page.goneText')}
    </EmptyState>
  )
}

interface FoundProps {
  readonly planId: string
  readonly console: Console
  readonly local: readonly PlanView[]
}

/** The account's plan with this id, or the one that the plan on this computer with this id belongs to. */
const accountPlanOf = (plans: readonly AccountPlanView[], id: string): AccountPlanView | undefined =>
  plans.find(({ planId }) => planId === id) ?? plans.find(({ localPlanId }) => localPlanId === id)

/** The plan as the account tells it; what is known on this computer alone when the account does not know it, or cannot be asked. */
function FoundPlan({ planId, console, local }: FoundProps) {
  const connectionId = console.kind === 'there' ? console.connection.id : undefined
  const account = useAccountPlans(connectionId)
  const plan = accountPlanOf(account.data ?? [], planId)
  const here = local.find(({ id, origin }) => id === (plan?.localPlanId ?? planId) || origin?.planId === planId)
  if (connectionId !== undefined && plan) {
    return <AccountPlan key={plan.planId} connectionId={connectionId} plan={plan} local={here} />
  }
  if (console.kind === 'looking' || (connectionId !== undefined && account.isPending)) return <SkeletonRows rows={4} />
  const failure =
    console.kind === 'there' && account.error ? (
      <ConsoleFailure
        console={console}
        error={account.error}
        onRetry={() => void account.refetch()}
        busy={account.isFetching}
      />
    ) : null
  if (here) {
    return (
      <>
        {here.origin ? failure : null}
        <HandedOverPlan key={here.id} plan={here} />
      </>
    )
  }
  return failure ?? <Gone />
}

/** One plan, of the account or handed over. */
export function PlanPage() {
  const { planId = '' } = useParams()
  const console = useConsole()
  const local = useCall('plans.list', {})
  return (
    <Page>
      <Loaded query={local} skeleton={<SkeletonRows rows={4} />}>
        {(plans) => (
          <FoundPlan
            key={console.kind === 'there' ? console.connection.id : console.kind}
            planId={planId}
            console={console}
            local={plans}
          />
        )}
      </Loaded>
    </Page>
  )
}
