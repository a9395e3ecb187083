import type { ManyPreview } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'

/** What is needed to switch. */
interface SwitchPorts {
  previewUse(id: string): Promise<ManyPreview>
  applyMany(previewId: string): Promise<unknown>
}

/** `asks`: a person has to look first, because a key would be written in plain text or a tool cannot be changed. */
export type Switched =
  | { readonly outcome: 'switched' }
  | { readonly outcome: 'asks' }
  | { readonly outcome: 'failed'; readonly code: FailureCode }

/** Switches to a profile in one go, where nothing in it has to be asked. */
export async function switchProfile(ports: SwitchPorts, id: string): Promise<Switched> {
  try {
    const preview = await ports.previewUse(id)
    if (preview.left.length > 0 || writesPlainText(preview)) return { outcome: 'asks' }
    if (preview.tools.some(isChange)) await ports.applyMany(preview.previewId)
    return { outcome: 'switched' }
  } catch (error) {
    return { outcome: 'failed', code: error instanceof AppError ? error.failure.code : 'internal.unexpected' }
  }
}

type Changes = ManyPreview['tools'][number]

const isChange = ({ files, setsWay }: Changes): boolean =>
  setsWay === true || files.some(({ action }) => action !== 'none')

/** Whether a key would be written in plain text where it is not there yet. */
export const writesPlainText = ({ tools }: Pick<ManyPreview, 'tools'>): boolean =>
  tools.some((tool) => isChange(tool) && tool.warnings.some(({ code }) => code === 'plainText'))
