import { randomUUID } from 'node:crypto'
import type { ManyPreview, PreviewView, ToolChanges } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { RelayPort, ToolWay } from '../routing/relay-host'
import type { ChangeSet } from '../tools/change-set'
import type { Journal } from '../tools/journal'

/** How many previews are kept for carrying out; the oldest goes first. */
const keptPreviews = 20

/** Plans that were shown to a person and may be carried out, exactly as shown. */
export class Previews {
  readonly #plans = new Map<string, readonly ChangeSet[]>()
  readonly #relay: Pick<RelayPort, 'wayOf'>

  constructor(relay: Pick<RelayPort, 'wayOf'>) {
    this.#relay = relay
  }

  keepOne(plan: ChangeSet): PreviewView {
    return { previewId: this.#keep([plan]), ...this.#changesOf(plan) }
  }

  keepMany(plans: readonly ChangeSet[], left: ManyPreview['left'] = []): ManyPreview {
    return { previewId: this.#keep(plans), tools: plans.map((plan) => this.#changesOf(plan)), left }
  }

  /** The plans of a preview, once. Fails with `file.changed`. */
  take(previewId: string): readonly ChangeSet[] {
    const plans = this.#plans.get(previewId)
    if (!plans) throw new AppError('file.changed', 'This preview is no longer kept. Look at the changes again.')
    this.#plans.delete(previewId)
    return plans
  }

  #keep(plans: readonly ChangeSet[]): string {
    const previewId = randomUUID()
    this.#plans.set(previewId, plans)
    const [oldest] = this.#plans.keys()
    if (oldest !== undefined && this.#plans.size > keptPreviews) this.#plans.delete(oldest)
    return previewId
  }

  #changesOf(plan: ChangeSet): ToolChanges {
    const way = wayIn(plan.past.next)
    const now = way && this.#relay.wayOf(way.toolId)
    const setsWay = way !== undefined && (now?.planId !== way.planId || now.keyId !== way.keyId)
    return { ...changesOf(plan), ...(setsWay ? { setsWay } : {}) }
  }
}

/** What the relay is to use for a tool as a record of it says; undefined where the tool is pointed at its gateway. */
export function wayIn(journal: Journal | undefined): ToolWay | undefined {
  if (journal?.choice.route !== 'relay') return undefined
  const { planId, keyId } = journal.choice
  return { toolId: journal.toolId, planId, ...(keyId === undefined ? {} : { keyId }) }
}

function changesOf({ toolId, place, kind, files, warnings, base, requestAddress }: ChangeSet): ToolChanges {
  return {
    toolId,
    site: place.site,
    kind: kind === 'letGo' ? 'restore' : kind,
    files: [...files],
    warnings: [...warnings],
    base,
    requestAddress,
  }
}
