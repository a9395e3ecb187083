import type { ApiStandard, MethodInput, MethodOutput, PlanView, PlaygroundTarget } from '@shared/contract'
import { findUsableModel } from '@shared/model-quota'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { type ModelQuotas, useModelQuotas } from '../usage/quota'

export type TargetKind = PlaygroundTarget['kind']

export type PlaygroundConnection = MethodOutput<'playground.connections'>[number]

export interface TargetSources {
  readonly plans: readonly PlanView[]
  readonly connections: readonly PlaygroundConnection[]
  readonly quotas: ModelQuotas
  readonly isLoading: boolean
}

/** Id of the plan, platform connection or local server of a target, as a form option. */
export function toPlaceId(target: PlaygroundTarget): string {
  if (target.kind === 'plan') return `plan:${target.planId}`
  return target.kind === 'platform' ? `platform:${target.connectionId}` : 'local'
}

/** Source of the model list of a target. Undefined without an address. */
export function toModelSource(
  target: PlaygroundTarget,
  localUrl: string,
): MethodInput<'playground.models'> | undefined {
  if (target.kind === 'plan') return { kind: 'plan', planId: target.planId }
  if (target.kind === 'platform') return { kind: 'platform', connectionId: target.connectionId }
  return localUrl.trim() === '' ? undefined : { kind: 'local', url: localUrl }
}

/** Places of these kinds. `initial`: target with the defaults of the place, which may lack a model. */
export function listPlaces(
  { plans, connections, quotas }: TargetSources,
  targetKinds: readonly TargetKind[],
  standard: ApiStandard,
) {
  const allPlaces: readonly { readonly name?: string; readonly initial: PlaygroundTarget }[] = [
    ...plans.map(({ id, name, models }) => {
      const modelCode = findUsableModel(models, quotas.listExhausted(id)) ?? ''
      return { name, initial: { kind: 'plan', planId: id, standard, modelCode } as const }
    }),
    ...connections.map(({ connectionId, name, hasIam }) => {
      const credential = hasIam ? 'iam' : 'apiKey'
      return { name, initial: { kind: 'platform', connectionId, credential, modelCode: '' } as const }
    }),
    // Default address of Ollama.
    { initial: { kind: 'local', url: 'http://127.0.0.1:11434/v1', standard, modelCode: '' } },
  ]
  return allPlaces.filter(({ initial }) => targetKinds.includes(initial.kind))
}

/** Trims a target that the user has typed. Undefined while the model code or address is missing. */
export function toCompleteTarget(target: PlaygroundTarget): PlaygroundTarget | undefined {
  const modelCode = target.modelCode.trim()
  if (modelCode === '' || /\s/.test(modelCode)) return undefined
  if (target.kind !== 'local') return { ...target, modelCode }
  const url = target.url.trim()
  return url === '' ? undefined : { ...target, url, modelCode }
}

export interface TargetChange {
  readonly modelCode?: string
  readonly keyId?: string
}

/** Returns a target with another model or, for a plan, another key. */
export const withTargetChange = (target: PlaygroundTarget, { modelCode, keyId }: TargetChange): PlaygroundTarget => ({
  ...target,
  ...(modelCode !== undefined && { modelCode }),
  ...(keyId !== undefined && target.kind === 'plan' && { keyId }),
})

export const getStandard = (target: PlaygroundTarget | undefined): ApiStandard =>
  target && target.kind !== 'platform' ? target.standard : 'chat-completions'

export function useTargetSources(): TargetSources {
  const plans = useCall('plans.list', {})
  const connections = useCall('playground.connections', {})
  return {
    plans: plans.data ?? [],
    connections: connections.data ?? [],
    quotas: useModelQuotas(),
    isLoading: plans.isPending || connections.isPending,
  }
}

/** Default target: the first model of the current plan that has quota left. */
export function useDefaultTarget(): PlaygroundTarget | undefined {
  const plan = useCurrentPlan()
  const { listExhausted } = useModelQuotas()
  const modelCode = plan && findUsableModel(plan.models, listExhausted(plan.id))
  if (!plan || modelCode === undefined) return undefined
  return { kind: 'plan', planId: plan.id, standard: 'chat-completions', modelCode }
}

export function useTargetTexts(): (target: PlaygroundTarget) => { readonly where: string; readonly standard: string } {
  const { t } = useTranslation('playground')
  const { plans, connections } = useTargetSources()
  return (target) => {
    const apiStandard = t(`target.standards.${getStandard(target)}`)
    if (target.kind === 'plan') {
      const plan = plans.find(({ id }) => id === target.planId)
      return { standard: apiStandard, where: plan?.name ?? t('target.gonePlan') }
    }
    if (target.kind === 'local') return { standard: apiStandard, where: target.url.replace(/^https?:\/\//, '') }
    const targetConnection = connections.find(({ connectionId }) => connectionId === target.connectionId)
    return { standard: t('target.platform'), where: targetConnection?.name ?? t('target.goneConnection') }
  }
}
