import type { OperationKind, OperationView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { Core } from '../core'
import type { CallArguments } from '../platform/prepare'
import type { OperationId } from '../platform/services'
import type { CommandContext } from './context'
import { tellingWhile } from './telling-while'

/** A call that the platform goes on with after its answer (spec, "States", Platform API key). */
interface Followed {
  readonly kind: OperationKind
  /** The name of what it is about. */
  readonly subjectOf: (args: CallArguments) => unknown
}

const doing: Readonly<Record<OperationKind, string>> = {
  'apiKey.create': 'is being created',
  'apiKey.delete': 'is being deleted',
}

const followedCalls: Readonly<Partial<Record<OperationId, Followed>>> = {
  'aip.apiKeys.create': {
    kind: 'apiKey.create',
    subjectOf: ({ body }) => z.looseObject({ name: z.unknown() }).safeParse(body).data?.name,
  },
  'aip.apiKeys.delete': { kind: 'apiKey.delete', subjectOf: ({ path }) => path?.name },
}

/** How a call goes on after its answer, or undefined when it does not. */
export const followed = (id: OperationId): Followed | undefined => followedCalls[id]

/** A call that was answered. */
export interface Answered {
  readonly id: OperationId
  readonly args: CallArguments
  readonly connectionId: string | undefined
}

/** Hands what goes on after the answer to the operations list, where the app follows it too; undefined when nothing does. */
export function followOperation({ operations }: Core, { id, args, connectionId }: Answered): OperationView | undefined {
  const kept = followed(id)
  const subject = z.string().min(1).safeParse(kept?.subjectOf(args)).data
  return kept && subject && connectionId ? operations.follow(connectionId, { kind: kept.kind, subject }) : undefined
}

/** Waits for the end and tells on standard error how it goes. Fails with what the operation failed with. */
export async function waitForOperation(context: CommandContext, { id, kind, subject }: OperationView): Promise<void> {
  const { core, output, pipes } = context
  let state: OperationView['state'] = 'running'
  const seconds = await tellingWhile(output, `${subject} ${doing[kind]}`, async () => {
    const ended = await core.operations.wait(id, pipes.closed)
    if (ended.failure) throw new AppError(ended.failure.code, ended.failure.message, ended.failure)
    state = ended.state
  })
  output.err(`${subject}: ${state} after ${seconds} s.\n`)
}
