import type { ModelQuota, PlanQuota } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { callKey, useAction, useCall } from '../../ipc'

/** Forecasts move slowly; the console is asked for each plan, so not more often than this. */
const refreshMs = 5 * 60_000

/** What is left of every plan, the tightest first. */
export const useQuota = () => useCall('quota.list', {}, { staleTime: 60_000, refetchInterval: refreshMs })

/** Asks every console anew, however short ago it answered. */
export function useRefreshQuota() {
  const queries = useQueryClient()
  return useAction('quota.refresh', {
    onSuccess: (plans) => {
      queries.setQueryData(callKey('quota.list', {}), plans)
    },
  })
}

/** The allowances of one plan, by its id at the account or on this machine; nothing while they are not known. */
export function usePlanQuota(planId: string): PlanQuota | undefined {
  const { data } = useQuota()
  return data?.find((plan) => plan.origin?.planId === planId || plan.planId === planId)
}

/** The allowances of one model of a plan. */
export const modelIn = (plan: PlanQuota | undefined, modelCode: string): ModelQuota | undefined =>
  plan?.models.find((model) => model.modelCode === modelCode)

/** Whether the cycle is known to be followed by another. */
export const renews = (plan: Pick<PlanQuota, 'cycle'> | undefined): boolean => plan?.cycle?.autoRenew === true
