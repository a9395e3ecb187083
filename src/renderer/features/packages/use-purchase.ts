import type { AccountPlanView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { toast } from '../../ui/toast'
import { putPlan } from '../plans/use-console'
import { planPath } from '../plans/use-plan-menu'

/** What is bought: a package, or another plan like one that was bought before. */
export type Target =
  | { readonly kind: 'package'; readonly packageId: string }
  | { readonly kind: 'again'; readonly planId: string }

/** What the buyer chose. */
export interface Wish {
  readonly name: string
  readonly autoRenew: boolean
}

/**
 * Pays. However often it is pressed, one purchase is under way at a time, and none after one that went through. The plan shows at once; who
 * has left the sheet, or switched the connection, is led nowhere.
 */
export function usePurchase(connectionId: string, target: Target) {
  const { t } = useTranslation('packages')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const isLocked = useRef(false)
  const onSuccess = (plan: AccountPlanView): void => putPlan(queries, connectionId, plan)
  const buying = useAction('account.buy', { invalidates: ['account'], onSuccess })
  const again = useAction('account.buyAgain', { invalidates: ['account'], onSuccess })
  const after = {
    onSuccess: ({ planId, name }: AccountPlanView): void => {
      void navigate(planPath(planId))
      void toast(t('buying.paid', { plan: name }), { description: t('buying.paidHint') })
    },
    onError: (): void => {
      isLocked.current = false
    },
  }
  const pay = (wish: Wish): void => {
    if (isLocked.current) return
    isLocked.current = true
    if (target.kind === 'package') buying.mutate({ connectionId, packageId: target.packageId, ...wish }, after)
    else again.mutate({ connectionId, planId: target.planId, ...wish }, after)
  }
  const { isPending, isSuccess, error } = target.kind === 'package' ? buying : again
  return { pay, isPaying: isPending || isSuccess, failure: error?.failure }
}
