import type { ManyPreview, PlanView, ToolChoice } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import type { WrittenSetup } from '../setups/setup-views'

/** What is needed to switch. */
interface SwitchPorts {
  /** Nothing where a person has to look first. */
  preview(): Promise<ManyPreview | undefined>
  applyMany(previewId: string): Promise<unknown>
}

/** `asks`: a person has to look first, because a key would be written in plain text or a tool cannot be changed. */
export type Switched =
  | { readonly outcome: 'switched' }
  | { readonly outcome: 'asks' }
  | { readonly outcome: 'failed'; readonly code: FailureCode }

/** Switches to a profile, or a tool to another plan or model, in one go, where nothing in it has to be asked. */
export async function switchAtOnce(ports: SwitchPorts): Promise<Switched> {
  try {
    const preview = await ports.preview()
    if (!preview || preview.left.length > 0 || writesPlainText(preview)) return { outcome: 'asks' }
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

/**
 * The choice of a setup with another model, of its plan or of another one: the way to the key and everything else stay. Slots follow the
 * model where they had its code or where the plan does not have theirs; a key that is disabled or of another plan gives way to the default.
 */
export function switchModel(
  { choice }: Pick<WrittenSetup, 'choice'>,
  plan: Pick<PlanView, 'id' | 'models' | 'keys'>,
  modelCode: string,
): ToolChoice {
  const { keyId, slots = {}, ...rest } = choice
  const isKept = plan.id === choice.planId && plan.keys.some(({ id, status }) => id === keyId && status !== 'DISABLED')
  const own = Object.entries(slots).filter(([, code]) => code !== choice.modelCode && plan.models.includes(code))
  return {
    ...rest,
    planId: plan.id,
    ...(isKept && keyId !== undefined ? { keyId } : {}),
    modelCode,
    slots: Object.fromEntries(own),
  }
}
