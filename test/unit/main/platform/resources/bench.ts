import { join } from 'node:path'
import { contract, type MethodInput, type MethodName, type MethodOutput } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { afterAll } from 'vitest'
import { createRunningCalls } from '../../../../../src/main/app/bridge'
import { containerHandlers, resourceHandlers } from '../../../../../src/main/app/resource-handlers'
import { Secret } from '../../../../../src/main/core/secret'
import { createKeyCopier, createPendingKeys } from '../../../../../src/main/plans/key-clipboard'
import { startSandbox } from '../../../../../src/sandbox/sandbox'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { createTestCore } from '../../../support/core'
import { makeFileFolder } from '../../../support/folders'
import { type StubServer, startAnsweringServer } from '../../gateway/answering-server'
import { buildBaseUrls, startPlatform } from '../harness'

type Method = Extract<MethodName, `${'resources' | 'containers'}.${string}`>

/**
 * Test environment that calls the resource methods like the window. Parses inputs and outputs like the bridge, and
 * records outputs.
 */
export function createHarness(folder: string) {
  const keychain = new MemoryKeychain()
  const core = createTestCore(folder, keychain, { info: () => undefined, error: () => undefined })
  const clipboard = { text: '' }
  const port = {
    readText: async () => clipboard.text,
    writeText: async (text: string) => {
      clipboard.text = text
    },
  }
  const keyCopier = createKeyCopier(port, () => () => undefined)
  const calls = createRunningCalls()
  const explorer = resourceHandlers({
    core,
    pending: createPendingKeys({
      clipboard: port,
      clock: () => new Date(),
      hasCopied: (secret) => keyCopier.hasCopied(secret),
      confirm: async () => true,
    }),
    copier: keyCopier,
    dialogs: { save: async (name) => join(folder, name) },
    calls,
  })
  const handlers = { ...explorer, ...containerHandlers({ core, calls }) }
  const sentMessages: string[] = []
  const callMethod = async (name: Method, input: unknown): Promise<unknown> => {
    try {
      const handler = handlers[name] as (input: unknown) => unknown
      const output = contract[name].output.parse((await handler(contract[name].input.parse(input))) ?? {})
      sentMessages.push(JSON.stringify(output))
      return output
    } catch (error) {
      if (error instanceof AppError) sentMessages.push(JSON.stringify(error.failure))
      throw error
    }
  }
  return {
    core,
    keychain,
    folder,
    /** All outputs that were sent to the window, as text. */
    told: sentMessages,
    clipboard,
    /** Running calls, which the window can cancel. */
    calls,
    ask: callMethod as <N extends Method>(name: N, input: MethodInput<N>) => Promise<MethodOutput<N>>,
    catchFailure: <N extends Method>(name: N, input: MethodInput<N>): Promise<Failure> =>
      callMethod(name, input).then(
        () => Promise.reject(new Error(`${name} did not fail`)),
        (error: unknown) => (error instanceof AppError ? error.failure : Promise.reject(error)),
      ),
    /** Adds a connection whose services all have this address. */
    async connect(root: string, name = 'office') {
      const tokenSource = { kind: 'pasted' } as const
      const { connection } = await core.connections.save({ name, addresses: createAddresses(root), tokenSource }, token)
      return connection.id
    },
    close: () => core.end(),
  }
}

/** A harness and a platform for all tests of a file, with a connection between them. */
export async function startFileHarness(name?: string) {
  const harness = createHarness(makeFileFolder())
  const platform = await startPlatform()
  closeAfterFile(platform, harness)
  return { harness, platform, connectionId: await harness.connect(platform.server.url, name) }
}

function closeAfterFile(...parts: readonly { close(): Promise<void> }[]): void {
  afterAll(async () => {
    for (const part of parts) await part.close()
  })
}

const token = new Secret('token-of-the-bench')

function createAddresses(root: string) {
  const { tokenPlanUrl: _, consoleUrl: _console, ...platformUrls } = buildBaseUrls(root)
  return platformUrls
}

/**
 * A harness for all tests of a file, connected to a sandbox behind a proxy that records the requests, and the texts of
 * the responses in the order of the requests.
 */
export async function startRecordedHarness() {
  const harness = createHarness(makeFileFolder())
  const sandbox = await startSandbox({
    gatewayPort: 0,
    platformPort: 0,
    seed: 'resources',
    timing: { asyncMs: 0, provisioningMs: 0, paceMs: 0 },
  })
  const { platformUrl, iam } = sandbox.ready
  const answers: string[] = []
  const server: StubServer = await startAnsweringServer((_request, response) => {
    const receivedRequest = server.received.at(-1)
    const { authorization = '', 'content-type': type = 'application/json' } = receivedRequest?.headers ?? {}
    const hasBody = receivedRequest !== undefined && receivedRequest.body !== ''
    void fetch(`${platformUrl}${receivedRequest?.path}`, {
      method: receivedRequest?.method ?? 'GET',
      headers: { authorization, ...(hasBody ? { 'content-type': type } : {}) },
      ...(hasBody ? { body: receivedRequest.body } : {}),
    }).then(async (answer) => {
      const text = await answer.text()
      answers.push(text)
      response.writeHead(answer.status, { 'content-type': 'application/json', 'x-request-id': `r-${answers.length}` })
      response.end(text)
    })
  })
  closeAfterFile(server, sandbox, harness)
  const tokenSource = { kind: 'client-credentials', tokenUrl: iam.tokenUrl, clientId: iam.clientId } as const
  const { connection } = await harness.core.connections.save(
    { name: 'sandbox', addresses: createAddresses(server.url), tokenSource },
    new Secret(iam.clientSecret),
  )
  return { harness, received: server.received, answers, connectionId: connection.id }
}
