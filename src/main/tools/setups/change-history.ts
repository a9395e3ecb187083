import { randomUUID } from 'node:crypto'
import type { BulkPreview, HistoryEntry, PreviewView, Recovery, Site, ToolChanges } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { RelayPort, ToolRelayRoute } from '../../relay/routing/routes'
import { type ChangeSet, toAction } from '../change-set'
import { commit, recover } from '../commit'
import type { Entry } from '../history'
import { type Journal, type RevealKey, readAllJournals } from '../journal'
import { keyText } from '../owned-settings'
import { userSite } from '../target'
import { findContext, type SetupEnvironment } from './config-scopes'
import type { PlanSource, RequestDeps } from './setup-request'

/** Creates a function that reads the keys that backups omit. */
export function createRevealKey({ plans, relay }: Pick<RequestDeps, 'plans' | 'relay'>): RevealKey {
  return async ({ planId, keyId, relay: toolId }) =>
    keyText(toolId === undefined ? await plans.readSecret(plans.find(planId), keyId) : await relay.readToken(toolId))
}

export async function recoverChanges(
  machine: SetupEnvironment,
  keys: Pick<RequestDeps, 'plans' | 'relay'>,
): Promise<Recovery> {
  const recovery = await recover({
    home: machine.place,
    findContext: (site) => findContext(machine, site),
    reveal: createRevealKey(keys),
  })
  removeRelayRoutes(recovery.undone, { machine, relay: keys.relay })
  return recovery
}

export function entryView({ id, at, state, tools }: Entry, plans: Pick<PlanSource, 'list'>): HistoryEntry[] {
  if (state === 'begun') return []
  const toolViews = tools.map(({ toolId, site, kind, next, journal, files }) => {
    const choice = (next ?? journal)?.choice
    const planName = plans.list().find((plan) => plan.id === choice?.planId)?.name
    return {
      toolId,
      site,
      kind,
      ...(planName === undefined ? {} : { planName }),
      ...(choice ? { modelCode: choice.modelCode, delivery: choice.delivery } : {}),
      files: files.map(({ path, before, after }) => ({ path, action: toAction(before?.hash, after) })),
    }
  })
  return [{ id, at, state: state === 'undone' ? 'undone' : 'done', tools: toolViews }]
}

interface ChangeContext extends Pick<RequestDeps, 'relay'> {
  readonly machine: SetupEnvironment
  readonly launcher: { ensure(): void }
}

/** Writes all changes or none, after the key helper and the relay are ready. Fails with `file.changed` or `relay.*`. */
export async function applyChangeSets(plans: readonly ChangeSet[], deps: ChangeContext): Promise<void> {
  const { relay, launcher, machine } = deps
  if (plans.some(({ past }) => past.next !== undefined)) launcher.ensure()
  const undoRoutes = await relay.point(plans.flatMap(({ past }) => getRelayRoute(past.next) ?? []))
  try {
    await commit(plans, machine.place)
  } catch (error) {
    undoRoutes()
    throw error
  }
  removeRelayRoutes(plans, deps)
}

/** Removes relay routes of tools that no longer use the relay. */
function removeRelayRoutes(
  tools: readonly { readonly toolId: string }[],
  { machine, relay }: Pick<ChangeContext, 'machine' | 'relay'>,
): void {
  const relayedJournals = readAllJournals(machine.place.dataDir).filter(({ choice }) => choice.route === 'relay')
  const toolIds = tools.map(({ toolId }) => toolId)
  relay.unpoint(toolIds.filter((toolId) => !relayedJournals.some((journal) => journal.toolId === toolId)))
}

/** Plans changes of several tools, and lists the tools that cannot be changed. */
export async function planEach(
  requests: readonly { toolId: string; site?: Site | undefined; plan: () => Promise<ChangeSet> }[],
): Promise<{ plans: ChangeSet[]; left: BulkPreview['left'] }> {
  const plans: ChangeSet[] = []
  const left: BulkPreview['left'] = []
  for (const { toolId, site = userSite, plan } of requests) {
    try {
      plans.push(await plan())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      left.push({ toolId, site, failure: error.failure })
    }
  }
  return { plans, left }
}

const maxStoredPreviews = 20

/** Previews that the user has seen. Only a preview in this list can be applied, so nothing else is written. */
export class Previews {
  readonly #plans = new Map<string, readonly ChangeSet[]>()
  readonly #relay: Pick<RelayPort, 'getUpstream'>

  constructor(relay: Pick<RelayPort, 'getUpstream'>) {
    this.#relay = relay
  }

  keepOne(plan: ChangeSet): PreviewView {
    return { previewId: this.#keep([plan]), ...this.#toChanges(plan) }
  }

  keepMany(plans: readonly ChangeSet[], left: BulkPreview['left'] = []): BulkPreview {
    return { previewId: this.#keep(plans), tools: plans.map((plan) => this.#toChanges(plan)), left }
  }

  /** Returns the planned changes of a preview and removes the preview. Fails with `file.changed` if it has expired. */
  take(previewId: string): readonly ChangeSet[] {
    const plans = this.#plans.get(previewId)
    if (!plans) throw new AppError('file.changed', 'This preview has expired. Preview the changes again.')
    this.#plans.delete(previewId)
    return plans
  }

  #keep(plans: readonly ChangeSet[]): string {
    const previewId = randomUUID()
    this.#plans.set(previewId, plans)
    const [oldest] = this.#plans.keys()
    if (oldest !== undefined && this.#plans.size > maxStoredPreviews) this.#plans.delete(oldest)
    return previewId
  }

  #toChanges({ toolId, place, kind, files, warnings, base, requestAddress, past }: ChangeSet): ToolChanges {
    const route = getRelayRoute(past.next)
    const currentRoute = route && this.#relay.getUpstream(route.toolId)
    const changesRoute = route && (currentRoute?.planId !== route.planId || currentRoute.keyId !== route.keyId)
    return {
      toolId,
      site: place.site,
      kind: kind === 'letGo' ? 'restore' : kind,
      files: [...files],
      warnings: [...warnings],
      base,
      requestAddress,
      ...(changesRoute ? { setsWay: changesRoute } : {}),
    }
  }
}

/** Relay route (plan and key) in a tool's record. Undefined if the tool calls the gateway directly. */
function getRelayRoute(journal: Journal | undefined): ToolRelayRoute | undefined {
  if (journal?.choice.route !== 'relay') return undefined
  const { planId, keyId } = journal.choice
  return { toolId: journal.toolId, planId, ...(keyId === undefined ? {} : { keyId }) }
}
