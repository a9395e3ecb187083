import type { ModelFacts } from '@shared/contract/plans'
import { modelMembers } from '@shared/model-facts'
import type { Secret } from '../core/secret'
import type { PlanRecord } from '../core/settings/settings'
import { readModelFacts } from '../gateway/model-facts'
import type { ListModels } from '../gateway/probe'
import type { PlatformClient } from '../platform/platform-client'

/** Short, because a preview of a tool's settings waits for the lists. */
const listTimeoutMs = 4000
const maxModels = 1000

interface ModelListsDeps {
  /** Client of a connection. Fails with `connection.notFound`. */
  readonly connections: { client(connectionId: string): Promise<Pick<PlatformClient, 'pages'>> }
  readonly listModels: ListModels
}

/** Models of a connection's platform (spec, "Model / API-key management"). Fails as `PlatformClient.pages` does. */
export async function listPlatformModels(
  connectionId: string,
  connections: ModelListsDeps['connections'],
): Promise<ModelFacts[]> {
  const client = await connections.client(connectionId)
  const models: ModelFacts[] = []
  for await (const { items } of client.pages('aip.models.list', {}, { signal: AbortSignal.timeout(listTimeoutMs) })) {
    models.push(...items.flatMap((item) => readModelFacts(item, modelMembers.code) ?? []))
    if (models.length >= maxModels) break
  }
  return models
}

/** Model facts from the account's platform, and else from `GET /v1/models` of the gateway. Never rejects. */
export async function readPlanModels(
  { origin, gatewayUrl, models }: Pick<PlanRecord, 'origin' | 'gatewayUrl' | 'models'>,
  readKey: () => Promise<Secret>,
  deps: ModelListsDeps,
): Promise<ModelFacts[]> {
  const ofPlan = (list: readonly ModelFacts[]) =>
    list.filter(({ modelCode }) => models.length === 0 || models.includes(modelCode)).slice(0, maxModels)
  const platformModels = origin
    ? ofPlan(await listPlatformModels(origin.connectionId, deps.connections).catch(() => []))
    : []
  if (hasAllSizes(models, platformModels)) return platformModels
  const key = await readKey().catch(() => undefined)
  const list = key && (await deps.listModels({ url: gatewayUrl, key, timeoutMs: listTimeoutMs }))
  const gatewayModels = list?.kind === 'refused' ? [] : ofPlan(list?.facts ?? [])
  const codes = new Set([...platformModels, ...gatewayModels].map(({ modelCode }) => modelCode))
  const find = (list: readonly ModelFacts[], code: string) => list.find(({ modelCode }) => modelCode === code)
  return [...codes].map((code) => ({ modelCode: code, ...find(gatewayModels, code), ...find(platformModels, code) }))
}

/** Whether the context sizes of all models are known. */
export const hasAllSizes = (models: readonly string[], facts: readonly ModelFacts[] = []): boolean =>
  models.length > 0 &&
  models.every((code) => facts.some(({ modelCode, contextTokens }) => modelCode === code && contextTokens))
