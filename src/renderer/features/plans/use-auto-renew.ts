import type { AccountPlanView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { call, invalidateDomains } from '../../ipc'
import { toast } from '../../ui/toast'
import { cachePlan, useCancelPlanQueries } from '../connections/account'

/** Last request by plan. The next request of a plan waits for it, so that they reach the server in order. */
const lastChanges = new Map<string, Promise<unknown>>()

/** Shows the result in a toast if the page is still open. */
function useRenewalToast() {
  const { t } = useTranslation('plans')
  const { dateTime } = useFormats()
  const showFailureToast = useFailureToast()
  return {
    done: ({ name: plan, expiresAt, autoRenew }: AccountPlanView, onUndo: () => void): void => {
      const expiryTime = dateTime(expiresAt)
      if (autoRenew) return void toast(t('account.autoRenew.switchedOn', { plan, at: expiryTime }))
      const action = { label: t('account.autoRenew.undo'), onClick: onUndo }
      const description = t('account.autoRenew.switchedOffHint')
      void toast(t('account.autoRenew.switchedOff', { plan, at: expiryTime }), { tone: 'info', description, action })
    },
    failed: (error: unknown, { name: plan }: AccountPlanView): void => showFailureToast({ context: { plan } })(error),
  }
}

export function useSetAutoRenew(connectionId: string): (plan: AccountPlanView, isOn: boolean) => void {
  const queries = useQueryClient()
  const cancelPlanQueries = useCancelPlanQueries(connectionId)
  const change = useCallback(
    async ({ planId }: AccountPlanView, autoRenew: boolean): Promise<AccountPlanView> => {
      const key = toKey(connectionId, planId)
      const { choose } = useAutoRenewStore.getState()
      choose(key, autoRenew)
      await cancelPlanQueries()
      const previousChange = lastChanges.get(key)
      const queuedChange = Promise.allSettled([previousChange]).then(() =>
        call('account.setAutoRenew', { connectionId, planId, autoRenew }),
      )
      lastChanges.set(key, queuedChange)
      try {
        const changedPlan = await queuedChange
        cachePlan(queries, connectionId, changedPlan)
        return changedPlan
      } finally {
        if (lastChanges.get(key) === queuedChange) {
          lastChanges.delete(key)
          choose(key, undefined)
        }
        invalidateDomains(queries, ['account'])
      }
    },
    [connectionId, queries, cancelPlanQueries],
  )
  const texts = useRenewalToast()
  const latestTexts = useRef(texts)
  latestTexts.current = texts
  const isMountedRef = useRef(false)
  useEffect(() => {
    isMountedRef.current = true
    return () => {
      isMountedRef.current = false
    }
  }, [])
  return useCallback(
    function set(plan, isOn) {
      change(plan, isOn).then(
        (changed) => {
          if (isMountedRef.current) latestTexts.current.done(changed, () => set(plan, true))
        },
        (error: unknown) => {
          if (isMountedRef.current) latestTexts.current.failed(error, plan)
        },
      )
    },
    [change],
  )
}

export function useIsRenewed(connectionId: string, { planId, autoRenew }: AccountPlanView): boolean {
  return useAutoRenewStore(({ chosen }) => chosen[toKey(connectionId, planId)]) ?? autoRenew
}

const toKey = (connectionId: string, planId: string): string => JSON.stringify([connectionId, planId])

/** Optimistic auto-renew choices, shared by all views of a plan. */
const useAutoRenewStore = create<{
  readonly chosen: Readonly<Record<string, boolean | undefined>>
  readonly choose: (plan: string, isOn: boolean | undefined) => void
}>((set) => ({
  chosen: {},
  choose: (plan, isOn) => set(({ chosen }) => ({ chosen: { ...chosen, [plan]: isOn } })),
}))
