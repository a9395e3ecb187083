import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { createRunningCalls } from '../../../../src/main/app/bridge'
import { playgroundHandlers } from '../../../../src/main/app/playground-handlers'
import { createPendingKeys } from '../../../../src/main/plans/key-clipboard'
import { PlaygroundMcpClients } from '../../../../src/main/playground/mcp-clients'
import { expectFailure } from '../../support/failures'
import { createPlaygroundHarness } from '../playground/play-desk'

function createTestHandlers(harness: ReturnType<typeof createPlaygroundHarness>, pasted: string) {
  const clipboard = { readText: async () => pasted, writeText: async () => undefined }
  const confirm = async () => true
  const pending = createPendingKeys({ clipboard, clock: () => new Date(), hasCopied: () => false, confirm })
  const dialogs = { save: async () => undefined, openMany: async () => [] }
  const { core } = harness
  const getLaunch = () => Promise.reject(new AppError('input.invalid', 'There is no MCP server.'))
  const mcpClients = new PlaygroundMcpClients({ getLaunch, send: core.network.send, version: '0' })
  const playground = { ...harness.playground, mcpClients }
  const parts = { core, playground, pending, dialogs, confirm, calls: createRunningCalls() }
  return { pending, handlers: playgroundHandlers(parts) }
}

it('saves a platform API key for a connection with inference, shows it masked and removes it', async () => {
  const harness = createPlaygroundHarness()
  const { connections } = harness.core
  const { connection } = await connections.save({ name: 'a', addresses: { inferenceUrl: 'https://ai.example/v1' } })
  const otherConnection = await connections.save({ name: 'b', addresses: { consoleUrl: 'https://ai.example' } })
  const { handlers, pending: pendingKeys } = createTestHandlers(harness, 'sk-platform-key-of-a-test-0001')
  const view = { connectionId: connection.id, name: 'a', hasIam: false }
  expect(await handlers['playground.connections']({})).toEqual([view])
  const { pendingId } = await pendingKeys.takeFromClipboard()
  const otherKey = { connectionId: otherConnection.connection.id, pendingId }
  await expect(handlers['playground.keepApiKey'](otherKey)).rejects.toThrow(AppError)
  await handlers['playground.keepApiKey']({ connectionId: connection.id, pendingId })
  expect(await handlers['playground.connections']({})).toEqual([{ ...view, kept: 'sk-...0001' }])
  expect(harness.keychain.items.get(`inference:${connection.id}`)).toBe('sk-platform-key-of-a-test-0001')
  expect(() => pendingKeys.get(pendingId)).toThrow(AppError)
  await handlers['playground.forgetApiKey']({ connectionId: connection.id })
  expect(await handlers['playground.connections']({})).toEqual([view])
  expect(harness.keychain.items.has(`inference:${connection.id}`)).toBe(false)
})

it('reports that nothing was saved when the dialog is closed', async () => {
  const harness = createPlaygroundHarness()
  const { handlers } = createTestHandlers(harness, '')
  const { id } = await harness.store.savePrompt({ name: 'n', tags: [], text: 't', system: '', parameters: {} })
  expect(await handlers['playground.exportPrompts']({ ids: [id] })).toEqual({})
  expect(await handlers['playground.import']({ kind: 'prompt' })).toEqual({ ids: [] })
  await expectFailure(handlers['playground.inspect']({ runId: 'gone' }), 'playground.notFound')
})
