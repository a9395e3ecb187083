import type { AccountPlanView, MethodInput } from '@shared/contract'
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect, useRef } from 'react'
import { formatDateTime } from '../../format'
import { showFailureToast } from '../../i18n/failures'
import { type CallError, call, callKey, invalidateDomains } from '../../ipc'
import { toast } from '../../ui/toast'
import { cachePlan } from '../connections/account'

const t = i18next.getFixedT(null, 'plans')

type Change = MethodInput<'account.setAutoRenew'>

const mutationKey = ['account.setAutoRenew']

export function useSetAutoRenew(connectionId: string): (plan: AccountPlanView, isOn: boolean) => void {
  const queries = useQueryClient()
  const { mutateAsync } = useMutation<AccountPlanView, CallError, Change>({
    mutationKey,
    // Changes of a scope reach the server one after another, in order.
    scope: { id: 'auto-renew' },
    mutationFn: (change) => call('account.setAutoRenew', change),
    // Cancel pending requests for plans, whose responses would overwrite the change.
    onMutate: (change) =>
      queries.cancelQueries({ queryKey: callKey('account.plans', { connectionId: change.connectionId }) }),
    onSuccess: (plan, change) => cachePlan(queries, change.connectionId, plan),
    onSettled: () => invalidateDomains(queries, ['account']),
  })
  const toasts = {
    done: ({ name: plan, expiresAt, autoRenew }: AccountPlanView, onUndo: () => void): void => {
      const values = { plan, at: formatDateTime(expiresAt) }
      if (autoRenew) return void toast(t('account.autoRenew.switchedOn', values))
      const action = { label: t('account.autoRenew.undo'), onClick: onUndo }
      const description = t('account.autoRenew.switchedOffHint')
      void toast(t('account.autoRenew.switchedOff', values), { tone: 'info', description, action })
    },
    failed: (error: unknown, { name: plan }: AccountPlanView): void => showFailureToast({ context: { plan } })(error),
  }
  // Undefined after the page was left, so that no toast appears then.
  const shownToasts = useRef<typeof toasts>(undefined)
  useEffect(() => {
    shownToasts.current = toasts
    return () => {
      shownToasts.current = undefined
    }
  })
  return function set(plan, autoRenew) {
    mutateAsync({ connectionId, planId: plan.planId, autoRenew }).then(
      (changed) => shownToasts.current?.done(changed, () => set(plan, true)),
      (error: unknown) => shownToasts.current?.failed(error, plan),
    )
  }
}

export function useIsRenewed(connectionId: string, { planId, autoRenew }: AccountPlanView): boolean {
  const pendingChanges = useMutationState({
    filters: { mutationKey, status: 'pending' },
    // The type cast requires that all mutations with this key have these variables.
    select: ({ state }) => state.variables as Change,
  })
  const lastChange = pendingChanges.findLast(
    (change) => change.connectionId === connectionId && change.planId === planId,
  )
  return lastChange?.autoRenew ?? autoRenew
}
