import type { OperationKind, OperationView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { followedBy } from '../connections/followed-calls'
import type { Core } from '../core'
import type { CallArguments } from '../platform/prepare'
import type { OperationId } from '../platform/services'
import type { CommandContext } from './context'
import { tellingWhile } from './telling-while'

const doing: Readonly<Record<OperationKind, string>> = {
  'apiKey.create': 'is being created',
  'apiKey.delete': 'is being deleted',
}

/** A call that was answered. */
export interface Answered {
  readonly id: OperationId
  readonly args: CallArguments
  readonly connectionId: string | undefined
}

/** Hands what goes on after the answer to the operations list, where the app follows it too; undefined when nothing does. */
export function followOperation({ operations }: Core, { id, args, connectionId }: Answered): OperationView | undefined {
  const followed = followedBy(id, args)
  return followed && connectionId ? operations.follow(connectionId, followed) : undefined
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
