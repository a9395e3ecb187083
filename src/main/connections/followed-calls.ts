import type { OperationKind } from '@shared/contract'
import { z } from 'zod'
import type { CallArguments } from '../platform/prepare'
import type { OperationId } from '../platform/services'

/** A call that the platform goes on with after its answer (spec, "States", Platform API key). */
interface FollowedCall {
  readonly kind: OperationKind
  /** The name of what it is about. */
  readonly subjectOf: (args: CallArguments) => unknown
}

const calls: Readonly<Partial<Record<OperationId, FollowedCall>>> = {
  'aip.apiKeys.create': {
    kind: 'apiKey.create',
    subjectOf: ({ body }) => z.looseObject({ name: z.unknown() }).safeParse(body).data?.name,
  },
  'aip.apiKeys.delete': { kind: 'apiKey.delete', subjectOf: ({ path }) => path?.name },
}

/** Whether a call goes on after its answer. */
export const goesOn = (id: OperationId): boolean => calls[id] !== undefined

/** What is to be followed after the answer to a call; undefined when nothing is. */
export function followedBy(
  id: OperationId,
  args: CallArguments,
): { readonly kind: OperationKind; readonly subject: string } | undefined {
  const call = calls[id]
  const subject = z.string().min(1).safeParse(call?.subjectOf(args)).data
  return call && subject ? { kind: call.kind, subject } : undefined
}
