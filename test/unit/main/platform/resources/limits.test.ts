import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { startRecordedHarness } from './bench'

const { harness, received, connectionId } = await startRecordedHarness()

it.each([
  [{ operation: 'identity.agentIdentities.create', body: { name: 'a b' } }, 'name', '1 to 50 letters, digits, - and _'],
  [{ operation: 'registry.repositories.list', query: { page: 0 } }, 'page', 'from 1'],
])('refuses %j before sending, for its %s with the rule: %s', async (call, field, rule) => {
  const countBefore = received.length
  const failure = await harness.catchFailure('resources.call', { connectionId, ...call })
  expect(failure).toMatchObject({ code: 'input.invalid', field, message: expect.stringContaining(rule) })
  expect(received).toHaveLength(countBefore)
})

it.each([
  'console.tokenPlans.create',
  'console.account.get',
  'console.keys.list',
  'gateway.chatCompletions',
  'memory.memories.nothing',
  '__proto__',
])('does not call %s', async (operation) => {
  const countBefore = received.length
  const callInput = { connectionId, operation }
  const callVariants = [
    () => harness.ask('resources.call', callInput),
    () => harness.ask('resources.page', callInput),
    () => harness.ask('resources.rows', callInput),
    () => harness.ask('resources.code', { ...callInput, language: 'curl' as const }),
  ]
  for (const callVariant of callVariants) await expect(callVariant()).rejects.toThrow()
  expect(received).toHaveLength(countBefore)
})

it('reports missing values before anything is sent', async () => {
  const emptyConnection = await harness.core.connections.save({ name: 'bare', addresses: {} })
  const failure = await harness.catchFailure('resources.page', {
    connectionId: emptyConnection.connection.id,
    operation: 'memory.memories.list',
  })
  expect(failure).toMatchObject({ code: 'api.notConfigured', field: 'memoryApiUrl' })
  await expect(
    harness.ask('resources.call', { connectionId: 'none', operation: 'memory.memories.list' }),
  ).rejects.toThrow(AppError)
})
