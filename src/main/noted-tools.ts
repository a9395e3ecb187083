import type { ToolView } from '@shared/contract'
import type { AuditPort } from './audit/port'
import { Tools, type ToolsDeps } from './features/tools'

/** The coding tools, with every write to one in the audit trail. */
export class NotedTools extends Tools {
  readonly #audit: AuditPort

  constructor({ audit, ...deps }: ToolsDeps & { readonly audit: AuditPort }) {
    super(deps)
    this.#audit = audit
  }

  override async carryOutMany(previewId: string): Promise<ToolView[]> {
    const views = await super.carryOutMany(previewId)
    for (const { name, applied } of views) {
      await this.#audit.note({ what: 'toolWritten', planName: applied?.planName, subject: name })
    }
    return views
  }
}
