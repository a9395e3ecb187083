import { isExhausted, listExhaustedModels } from '@shared/model-quota'
import { useMemo } from 'react'
import { useAllowanceTexts } from '../../connections/account'
import { tightestKind, toAllowance } from './gauge'
import { findModel, useQuota } from './quota-list'

export interface ModelQuotas {
  /** Codes of a plan's models without remaining quota. `planId`: local id. */
  readonly listExhausted: (planId: string) => ReadonlySet<string>
  /** Remaining quota of a model, such as "3.8M tokens left". Undefined while unknown. */
  readonly describe: (planId: string, modelCode: string) => string | undefined
}

/** Remaining quotas for model pickers. */
export function useModelQuotas(): ModelQuotas {
  const { data: quotas } = useQuota()
  const texts = useAllowanceTexts()
  return useMemo(
    () => ({
      listExhausted: (planId) => listExhaustedModels(quotas ?? [], planId),
      describe: (planId, modelCode) => {
        const plan = quotas?.find((candidate) => candidate.planId === planId && !candidate.isExpired)
        const model = findModel(plan, modelCode)
        if (!model) return undefined
        const kind = tightestKind(model)
        const allowance = toAllowance(model[kind], kind)
        // A quota of 0 means none.
        return allowance === undefined || (allowance.quota === 0 && !isExhausted(model))
          ? undefined
          : texts.leftShort(allowance)
      },
    }),
    [quotas, texts],
  )
}
