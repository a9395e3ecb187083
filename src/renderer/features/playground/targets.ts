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

/** A target that may be incomplete. It must get a model, and a local server also an address. */
export interface TargetDraft {
  readonly place: string
  readonly modelCode: string
  readonly standard: ApiStandard
  readonly keyId: string | undefined
  readonly credential: 'iam' | 'apiKey'
  readonly url: string
}

/** Id for targets on this computer or in its local network. */
export const localPlaceId = 'local'

const planPlace = (id: string): string => `plan:${id}`
const platformPlace = (id: string): string => `platform:${id}`

/** Default address of Ollama. */
const defaultLocalUrl = 'http://127.0.0.1:11434/v1'

function toSourceId(target: PlaygroundTarget): string {
  if (target.kind === 'plan') return planPlace(target.planId)
  return target.kind === 'platform' ? platformPlace(target.connectionId) : localPlaceId
}

/** Source of the model list of a place. Undefined without one. */
export function toModelSource(placeId: string, localUrl: string): MethodInput<'playground.models'> | undefined {
  const [kind, id = ''] = placeId.split(/:(.*)/s)
  if (kind === 'plan') return { kind, planId: id }
  if (kind === 'platform') return { kind, connectionId: id }
  return localUrl.trim() === '' ? undefined : { kind: 'local', url: localUrl }
}

export const listPlaces = ({ plans, connections }: TargetSources, targetKinds: readonly TargetKind[]) => [
  ...(targetKinds.includes('plan')
    ? plans.map((plan) => ({ place: planPlace(plan.id), kind: 'plan' as const, name: plan.name }))
    : []),
  ...(targetKinds.includes('platform')
    ? connections.map(({ connectionId, name }) => ({
        place: platformPlace(connectionId),
        kind: 'platform' as const,
        name,
      }))
    : []),
  ...(targetKinds.includes('local') ? [{ place: localPlaceId, kind: 'local' as const, name: undefined }] : []),
]

/** Target draft with the defaults of a plan, platform connection or local server. */
export function createDraftAt(placeId: string, places: TargetSources, standard: ApiStandard): TargetDraft {
  const plan = places.plans.find(({ id }) => planPlace(id) === placeId)
  const connection = places.connections.find(({ connectionId }) => platformPlace(connectionId) === placeId)
  return {
    place: placeId,
    modelCode: (plan && findUsableModel(plan.models, places.quotas.listExhausted(plan.id))) ?? '',
    standard: connection ? 'chat-completions' : standard,
    keyId: undefined,
    credential: connection && !connection.hasIam ? 'apiKey' : 'iam',
    url: defaultLocalUrl,
  }
}

export const toTargetDraft = (target: PlaygroundTarget): TargetDraft => ({
  place: toSourceId(target),
  modelCode: target.modelCode,
  standard: target.kind === 'platform' ? 'chat-completions' : target.standard,
  keyId: target.kind === 'plan' ? target.keyId : undefined,
  credential: target.kind === 'platform' ? target.credential : 'iam',
  url: target.kind === 'local' ? target.url : defaultLocalUrl,
})

/** Converts the draft to a target. Undefined while the model code or address is missing. */
export function toTarget(draft: TargetDraft): PlaygroundTarget | undefined {
  const { place, standard, keyId, credential } = draft
  const modelCode = draft.modelCode.trim()
  const url = draft.url.trim()
  const [kind, id] = [place.slice(0, place.indexOf(':')), place.slice(place.indexOf(':') + 1)]
  if (modelCode === '' || /\s/.test(modelCode)) return undefined
  if (kind === 'plan') {
    return { kind, planId: id, standard, modelCode, ...(keyId !== undefined && { keyId }) }
  }
  if (kind === 'platform') return { kind, connectionId: id, credential, modelCode }
  return url === '' ? undefined : { kind: 'local', url, standard, modelCode }
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

/** API format of the target. */
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
      return {
        standard: apiStandard,
        where: plans.find(({ id }) => id === target.planId)?.name ?? t('target.gonePlan'),
      }
    }
    if (target.kind === 'local') return { standard: apiStandard, where: target.url.replace(/^https?:\/\//, '') }
    const targetConnection = connections.find(({ connectionId }) => connectionId === target.connectionId)
    return { standard: t('target.platform'), where: targetConnection?.name ?? t('target.goneConnection') }
  }
}
