import type { ModelQuota, PlanQuota } from '@shared/contract'
import { useCall } from '../../ipc'

/** Forecasts move slowly; the console is asked for each plan, so not more often than this. */
const refreshMs = 5 * 60_000

/** What is left of every plan, the tightest first. */
export const useQuota = () => useCall('quota.list', {}, { staleTime: 60_000, refetchInterval: refreshMs })

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
