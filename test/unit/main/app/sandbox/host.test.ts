import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { SandboxReady } from '../../../../../src/main/app/sandbox/host'
import { startHarness } from '../../../sandbox/support'
import { readyMessage } from './ready'

it('holds the client secret as a Secret as soon as it is read', () => {
  const { iam } = SandboxReady.parse(readyMessage())
  expect(iam.clientSecret.expose()).toBe('cs-sandbox-0123456789')
  expect([inspect(iam, { depth: 9 }), String(iam.clientSecret)].join()).not.toContain('0123456789')
  expect(() => JSON.stringify(iam)).toThrow()
})

it('parses the messages of a real sandbox', async () => {
  const { sandbox } = await startHarness()
  const { addresses, iam, plans } = SandboxReady.parse(structuredClone(sandbox.ready))
  expect(addresses).toEqual(sandbox.ready.addresses)
  expect(iam).toMatchObject({ tokenUrl: sandbox.ready.iam.tokenUrl, clientId: sandbox.ready.iam.clientId })
  expect(plans.map(({ planId }) => planId)).toEqual(sandbox.ready.plans.map(({ planId }) => planId))
})

it.each([
  ['no addresses', { addresses: undefined }],
  ['an address too few', { addresses: { tokenPlanUrl: 'http://127.0.0.1:1' } }],
  ['no client', { iam: undefined }],
  ['an empty client secret', { iam: { tokenUrl: 'u', clientId: 'c', clientSecret: '' } }],
  ['a client secret that no header carries', { iam: { tokenUrl: 'u', clientId: 'c', clientSecret: 'a b' } }],
  ['another kind', { kind: 'failed' }],
])('does not accept a message with %s as a start', (_what, overrides) => {
  expect(SandboxReady.safeParse(readyMessage(overrides)).success).toBe(false)
})
