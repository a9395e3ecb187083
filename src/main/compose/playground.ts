import type { MethodInput, PlaygroundProgress } from '@shared/contract'
import type { ModelFacts } from '@shared/contract/plans'
import type { PlanQuota } from '@shared/contract/quota'
import { createLazySender } from '../core/net/network'
import type { Log } from '../core/ports'
import { listPlatformModels } from '../plans/model-lists'
import { Playground, PlaygroundComparisons } from '../playground/playground'
import { PlaygroundInference } from '../playground/playground-inference'
import { type PlaygroundContext, Runs, type RunsDeps } from '../playground/runs'
import type { PlaygroundStore } from '../playground/store/calls'
import { listLocalModels, openTarget, type TargetsDeps } from '../playground/targets'
import { relayRoot } from '../relay/routing/routes'
import type { LedgerEntry } from '../usage/ports'
import type { Core } from './compose'

interface PlaygroundFeatureParts {
  readonly store: PlaygroundStore
  readonly log: Log
  readonly sendProgress: (news: PlaygroundProgress[]) => void
  readonly onChanged: () => void
  readonly addUsage: (entries: readonly LedgerEntry[]) => void
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>
  /** Last known quotas. Without them, runs do not show their share of an allowance. */
  readonly quotas?: () => readonly PlanQuota[]
}

export interface AppPlayground {
  readonly ground: PlaygroundContext
  readonly chats: Playground
  readonly asking: PlaygroundInference
  readonly comparisons: PlaygroundComparisons
  /** Models of a plan, a platform or a local server. Fails with the reason of the server. */
  readonly models: (source: MethodInput<'playground.models'>) => Promise<readonly ModelFacts[]>
  /** Stops and saves active runs and closes connections. */
  end(): Promise<void>
}

type PlaygroundCore = Pick<Core, 'plans' | 'connections' | 'inferenceKeys' | 'settings' | 'network'>

/** Creates the playground without sending or opening anything. */
export function createPlayground(core: PlaygroundCore, parts: PlaygroundFeatureParts): AppPlayground {
  const { store, onChanged, countTokens } = parts
  const clock = (): Date => new Date()
  // Models on the local network are reached without a proxy.
  const directSender = createLazySender({ proxyFor: async () => ({ kind: 'direct' }), refuse: () => undefined })
  const runs = new Runs(createRunsDeps(core, parts))
  const { plans, connections, inferenceKeys: keys } = core
  const getInferenceEndpoint: TargetsDeps['getInferenceEndpoint'] = (id) => connections.getInferenceEndpoint(id)
  const targets: TargetsDeps = {
    plans,
    getInferenceEndpoint,
    keys,
    send: core.network.send,
    sendNear: directSender.send,
  }
  const openPlaygroundTarget: PlaygroundContext['open'] = (target, purpose) => openTarget(target, purpose, targets)
  const playgroundContext: PlaygroundContext = { store, runs, clock, onChanged, open: openPlaygroundTarget }
  return {
    ground: playgroundContext,
    chats: new Playground({ ...playgroundContext, countTokens }),
    asking: new PlaygroundInference(playgroundContext),
    comparisons: new PlaygroundComparisons(playgroundContext),
    async models(source) {
      if (source.kind === 'local') return listLocalModels(source.url, targets)
      if (source.kind === 'platform') return listPlatformModels(source.connectionId, connections)
      await plans.learnModels(source.planId)
      return plans.view(source.planId).modelFacts ?? []
    },
    async end() {
      await runs.end()
      await directSender.close()
      await store.close()
    },
  }
}

function createRunsDeps({ plans, settings }: PlaygroundCore, parts: PlaygroundFeatureParts): RunsDeps {
  const { store, log, sendProgress, onChanged, addUsage, countTokens, quotas = () => [] } = parts
  const plan = (planId: string) => plans.list().find(({ id }) => id === planId)
  return {
    store,
    sendProgress,
    addUsage,
    countTokens,
    log,
    onEnded: onChanged,
    clock: () => new Date(),
    isRelayed: (address) => address.startsWith(relayRoot(settings.read().relay.port, '')),
    otherModels: (planId, modelCode) => plan(planId)?.models.filter((code) => code !== modelCode) ?? [],
    getRemainingTokens: (planId, modelCode) => {
      const origin = plan(planId)?.origin
      const isOrigin = (quota: PlanQuota): boolean =>
        quota.origin?.planId === origin?.planId && quota.origin?.connectionId === origin?.connectionId
      const planQuota = quotas().find((quota) => quota.planId === planId || (origin && isOrigin(quota)))
      const tokens = planQuota?.models.find((model) => model.modelCode === modelCode)?.tokens
      return tokens?.quota === undefined ? undefined : Math.max(0, tokens.quota - tokens.used)
    },
  }
}
