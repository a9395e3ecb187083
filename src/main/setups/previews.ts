import { randomUUID } from 'node:crypto'
import type { ManyPreview, PreviewView, ToolChanges } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { ToolPlan } from '../tools/plan'

/** How many previews are kept for carrying out; the oldest goes first. */
const keptPreviews = 20

/** Plans that were shown to a person and may be carried out, exactly as shown. */
export class Previews {
  readonly #plans = new Map<string, readonly ToolPlan[]>()

  keepOne(plan: ToolPlan): PreviewView {
    return { previewId: this.#keep([plan]), ...changesOf(plan) }
  }

  keepMany(plans: readonly ToolPlan[], left: ManyPreview['left'] = []): ManyPreview {
    return { previewId: this.#keep(plans), tools: plans.map(changesOf), left }
  }

  /** The plans of a preview, once. Fails with `file.changed`. */
  take(previewId: string): readonly ToolPlan[] {
    const plans = this.#plans.get(previewId)
    if (!plans) throw new AppError('file.changed', 'This preview is no longer kept. Look at the changes again.')
    this.#plans.delete(previewId)
    return plans
  }

  #keep(plans: readonly ToolPlan[]): string {
    const previewId = randomUUID()
    this.#plans.set(previewId, plans)
    const [oldest] = this.#plans.keys()
    if (oldest !== undefined && this.#plans.size > keptPreviews) this.#plans.delete(oldest)
    return previewId
  }
}

function changesOf({ toolId, place, kind, files, warnings, base, requestAddress }: ToolPlan): ToolChanges {
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
