import type { OperationKind } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { z } from 'zod'

/** How one kind of operation is known to be over. */
interface Kind {
  /** Whether the resource, as it was answered, is what was wanted. */
  readonly isDone: (data: unknown) => boolean
  /** Whether it is done when there is no such resource. */
  readonly isDoneWhenGone: boolean
}

const Resource = z.looseObject({ status: z.string() })

/** Platform API keys (spec, "States"): created when `ACTIVE`, deleted when GET returns 404. */
const kinds: Readonly<Record<OperationKind, Kind>> = {
  'apiKey.create': { isDone: (data) => Resource.safeParse(data).data?.status === 'ACTIVE', isDoneWhenGone: false },
  'apiKey.delete': { isDone: () => false, isDoneWhenGone: true },
}

/** Where an operation is: at its end, under way, in doubt (that may pass), or failed for good. */
export type Progress =
  | { readonly kind: 'done' }
  | { readonly kind: 'underWay' }
  | { readonly kind: 'inDoubt' | 'failed'; readonly failure: Failure }

/** What an answer about the resource means. */
export function progressOf(kind: OperationKind, data: unknown): Progress {
  return { kind: kinds[kind].isDone(data) ? 'done' : 'underWay' }
}

/** What a failed question about it means. */
export function progressAfter(kind: OperationKind, failure: Failure): Progress {
  if (failure.code === 'api.notFound' && kinds[kind].isDoneWhenGone) return { kind: 'done' }
  return { kind: mayPass.includes(failure.code) ? 'inDoubt' : 'failed', failure }
}

/** What is worth another question. `api.notFound`: a key that was just begun may not be listed yet. */
const mayPass: readonly Failure['code'][] = [
  'api.notFound',
  'api.rateLimited',
  'api.serverError',
  'net.refused',
  'net.hostNotFound',
  'net.timeout',
  'net.cut',
  'net.proxy',
  'net.other',
  // The connection was changed meanwhile: its next client may get through.
  'net.cancelled',
]
