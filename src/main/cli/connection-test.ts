import type { AddressKey, ConnectionPart, ConnectionTestView, ConnectionView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { chooseConnection } from './choose-connection'
import { testLine } from './connection-lines'
import type { CommandContext } from './context'
import { print } from './output'

/** The parts in the order they are tested, with what makes each testable. */
const testable: readonly (readonly [part: ConnectionPart, isThere: (connection: ConnectionView) => boolean])[] = [
  ['token', ({ tokenSource }) => tokenSource !== undefined],
  ['gateway', has('tokenPlanUrl')],
  ['console', has('consoleUrl')],
  ['identity', has('identityApiUrl')],
  ['runtime', has('runtimeApiUrl')],
  ['memory', has('memoryApiUrl')],
  ['registry', has('registryApiUrl')],
  ['aip', has('aipApiUrl')],
  ['inference', has('inferenceUrl')],
]

function has(key: AddressKey) {
  return ({ addresses }: ConnectionView): boolean => (addresses[key] ?? '') !== ''
}

/** Tests the named connection, else the active one: one part, or all that have an address, a line each as it is known. */
export async function testConnection(
  { core, output, pipes }: CommandContext,
  name: string | undefined,
  only: ConnectionPart | undefined,
): Promise<void> {
  const connection = chooseConnection(core, name)
  const parts = only === undefined ? partsOf(connection) : [only]
  if (parts.length === 0) {
    throw new AppError('api.notConfigured', `${connection.name} has no address and no token source: nothing to test.`)
  }
  const outcomes: ConnectionTestView[] = []
  for (const part of parts) {
    const outcome = await core.connections.test(connection.id, part, { signal: pipes.closed })
    outcomes.push(outcome)
    if (!output.isJson) output.out(`${testLine(outcome)}\n`)
  }
  if (output.isJson) print(output, outcomes, () => [])
  if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1
}

const partsOf = (connection: ConnectionView): ConnectionPart[] =>
  testable.filter(([, isThere]) => isThere(connection)).map(([part]) => part)
