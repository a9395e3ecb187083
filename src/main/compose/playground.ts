import type { MethodInput, PlaygroundProgress } from '@shared/contract'
import type { ModelFacts } from '@shared/contract/plans'
import type { PlanQuota } from '@shared/contract/quota'
import { createLazySender } from '../core/net/network'
import { listPlatformModels } from '../plans/plans'
import { Playground, PlaygroundComparisons } from '../playground/playground'
import { PlaygroundInference } from '../playground/playground-inference'
import { type PlaygroundContext, Runs } from '../playground/runs'
import type { PlaygroundStore } from '../playground/store-client'
import { listLocalModels, openTarget, type TargetsDeps } from '../playground/targets'
import { relayRoot } from '../relay/routing/routes'
import type { LedgerEntry } from '../usage/ports'
import type { Core } from './compose'

interface PlaygroundFeatureParts {
  readonly store: PlaygroundStore
  readonly sendProgress: (news: PlaygroundProgress[]) => void
  readonly onChanged?: () => void
  readonly addUsage: (entries: readonly LedgerEntry[]) => void
  readonly countTokens?: (texts: readonly string[]) => Promise<readonly number[]>
  /** Last known quotas. Without them, runs do not show their share of an allowance. */
  readonly quotas?: () => readonly PlanQuota[]
}

type PlaygroundCore = Pick<Core, 'log' | 'plans' | 'connections' | 'inferenceKeys' | 'settings' | 'network'>

/** Creates the playground without sending or opening anything. */
export function createPlayground(core: PlaygroundCore, parts: PlaygroundFeatureParts) {
  const { log, plans, connections, inferenceKeys: keys, settings, network } = core
  const { store, sendProgress, onChanged = () => undefined, addUsage } = parts
  const { countTokens = async () => [], quotas = () => [] } = parts
  // Models on the local network are reached without a proxy.
  const directSender = createLazySender({ proxyFor: async () => ({ kind: 'direct' }), refuse: () => undefined })
  const findPlan = (planId: string) => plans.list().find(({ id }) => id === planId)
  const runs = new Runs({
    store,
    sendProgress,
    addUsage,
    countTokens,
    log,
    onEnded: onChanged,
    isRelayed: (address) => address.startsWith(relayRoot(settings.read().relay.port, '')),
    otherModels: (planId, modelCode) => findPlan(planId)?.models.filter((code) => code !== modelCode) ?? [],
    getRemainingTokens: (planId, modelCode) => {
      const origin = findPlan(planId)?.origin
      const isOrigin = (quota: PlanQuota): boolean =>
        quota.origin?.planId === origin?.planId && quota.origin?.connectionId === origin?.connectionId
      const planQuota = quotas().find((quota) => quota.planId === planId || (origin && isOrigin(quota)))
      const tokens = planQuota?.models.find((model) => model.modelCode === modelCode)?.tokens
      return tokens?.quota === undefined ? undefined : Math.max(0, tokens.quota - tokens.used)
    },
  })
  const targets: TargetsDeps = {
    plans,
    getInferenceEndpoint: (id) => connections.getInferenceEndpoint(id),
    keys,
    send: network.send,
    sendNear: directSender.send,
  }
  const open: PlaygroundContext['open'] = (target, purpose) => openTarget(target, purpose, targets)
  const ground: PlaygroundContext = { store, runs, onChanged, open }
  return {
    ground,
    chats: new Playground({ ...ground, countTokens }),
    asking: new PlaygroundInference(ground),
    comparisons: new PlaygroundComparisons(ground),
    /** Models of a plan, a platform or a local server. Fails with the reason of the server. */
    async models(source: MethodInput<'playground.models'>): Promise<readonly ModelFacts[]> {
      if (source.kind === 'local') return listLocalModels(source.url, targets)
      if (source.kind === 'platform') return listPlatformModels(source.connectionId, connections)
      await plans.learnModels(source.planId)
      return plans.view(source.planId).modelFacts ?? []
    },
    /** Stops and saves active runs and closes connections. */
    async end(): Promise<void> {
      await runs.end()
      await directSender.close()
      await store.close()
    },
  }
}
