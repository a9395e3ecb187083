import type { ModelFacts } from '@shared/contract/plans'
import type { PlanQuota } from '@shared/contract/quota'
import { defaultContextTokens, getContextTokens } from '@shared/model-facts'
import { isExhausted, listExhaustedModels } from '@shared/model-quota'
import { useMemo } from 'react'
import { useCall } from '../../../ipc'
import { useAllowanceTexts } from '../../connections/account'
import { tightestKind, toAllowance } from './gauge'
import { findModel, useQuota } from './quota-list'

export interface ModelQuotas {
  /** Remaining tokens of a model. Undefined if the quota is unknown. */
  readonly getRemainingTokens: (planId: string, modelCode: string) => number | undefined
  /** Codes of a plan's models without remaining quota. `planId`: local id. */
  readonly listExhausted: (planId: string) => ReadonlySet<string>
  /**
   * Known facts about a model, such as "64K context · 3.8M tokens left". Undefined without facts. `facts`: for a model
   * of a platform or local server, or newer than those of the plan.
   */
  readonly describe: (planId: string, modelCode: string, facts?: ModelFacts) => string | undefined
}

/** Remaining quotas for model pickers and estimates. */
export function useModelQuotas(): ModelQuotas {
  const { data: quotas } = useQuota()
  const { data: plans } = useCall('plans.list', {})
  const texts = useAllowanceTexts()
  return useMemo(
    () => ({
      getRemainingTokens: (planId, modelCode) => {
        const plan = quotas?.find((candidate) => candidate.planId === planId && !candidate.isExpired)
        const { quota, used } = findModel(plan, modelCode)?.tokens ?? { used: 0 }
        return quota === undefined ? undefined : Math.max(0, quota - used)
      },
      listExhausted: (planId) => listExhaustedModels(quotas ?? [], planId),
      describe: (planId, modelCode, facts) => {
        const plan = plans?.find(({ id }) => id === planId)
        const { contextTokens = defaultContextTokens, modelFacts = [] } = plan ?? {}
        const known = facts ?? modelFacts.find((model) => model.modelCode === modelCode)
        const hasSize = known?.contextTokens !== undefined || contextTokens !== defaultContextTokens
        const size = getContextTokens({ contextTokens, modelFacts: known && [known] }, modelCode)
        const remaining = findTightestAllowance(quotas, planId, modelCode)
        return (
          [...(hasSize ? [texts.context(size)] : []), ...(remaining ? [texts.leftShort(remaining)] : [])].join(' · ') ||
          undefined
        )
      },
    }),
    [quotas, plans, texts],
  )
}

function findTightestAllowance(quotas: readonly PlanQuota[] | undefined, planId: string, modelCode: string) {
  const plan = quotas?.find((candidate) => candidate.planId === planId && !candidate.isExpired)
  const model = findModel(plan, modelCode)
  if (!model) return undefined
  const kind = tightestKind(model)
  const allowance = toAllowance(model[kind], kind)
  // A quota of 0 means none.
  return allowance?.quota === 0 && !isExhausted(model) ? undefined : allowance
}
