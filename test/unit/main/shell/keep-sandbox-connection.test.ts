import { expect, it } from 'vitest'
import { keepSandboxConnection } from '../../../../src/main/app/desktop-app'
import { makeConnections } from '../../../support/connections'
import { readyMessage, waitForReady } from '../app/sandbox/ready'

it('adds the built-in sandbox once, with its secret in the keychain, and writes nothing without a change', async () => {
  const { connections, keychain, settings } = makeConnections()
  await keepSandboxConnection({ connections }, waitForReady())
  const settingsBefore = settings.read()
  keychain.asked.splice(0)
  await keepSandboxConnection({ connections }, waitForReady())
  expect(settings.read()).toEqual(settingsBefore)
  expect(keychain.asked).toEqual(['get connection:sandbox'])
  expect(connections.list()).toMatchObject([
    {
      id: 'sandbox',
      name: 'sandbox',
      isBuiltIn: true,
      isActive: true,
      secret: 'keychain',
      addresses: readyMessage().addresses,
    },
  ])
  expect([...keychain.items]).toEqual([['connection:sandbox', 'cs-sandbox-0123456789']])
})

it('follows the sandbox to other addresses and another secret', async () => {
  const { connections, keychain } = makeConnections()
  await keepSandboxConnection({ connections }, waitForReady())
  const { iam, addresses } = readyMessage()
  await keepSandboxConnection(
    { connections },
    waitForReady({
      addresses: { ...addresses, aipApiUrl: 'http://127.0.0.1:9/aip' },
      iam: { ...iam, tokenUrl: 'http://127.0.0.1:9/token', clientSecret: 'cs-other-0123456789' },
    }),
  )
  expect(connections.find('sandbox')).toMatchObject({
    addresses: { aipApiUrl: 'http://127.0.0.1:9/aip' },
    tokenSource: { tokenUrl: 'http://127.0.0.1:9/token' },
  })
  expect([...keychain.items.values()]).toEqual(['cs-other-0123456789'])
})
