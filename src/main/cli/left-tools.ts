import type { ManyPreview } from '@shared/contract'
import { AppError } from '@shared/failure'

/** Refuses changes of which a part cannot be made. Fails as the first such tool does. */
export function requireAll({ left: [first] }: Pick<ManyPreview, 'left'>): void {
  if (first) throw new AppError(first.failure.code, `${first.toolId}: ${first.failure.message} Nothing was written.`)
}

/** Makes the command end as failed when some tools could not be changed; the others were. */
export function failForLeft({ left }: Pick<ManyPreview, 'left'>): void {
  if (left.length > 0) process.exitCode = 1
}
