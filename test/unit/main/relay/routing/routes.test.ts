import { describe, expect, it, vi } from 'vitest'
import { createVault } from '../../../../../src/main/core/vault/vault'
import { Routes } from '../../../../../src/main/relay/routing/routes'
import { AppError } from '../../../../../src/shared/failure'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memorySettings } from '../../../../support/memory-settings'
import { createRoutes } from '../../../../support/routes'
import { expectFailure } from '../../../support/failures'

function createHarness(own?: ConstructorParameters<typeof Routes>[0]['own']) {
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: '', sessionAllowed: false })
  const settings = memorySettings()
  const routes = own
    ? new Routes({ settings, vault, own, answersAt: async () => false })
    : createRoutes({ settings, vault })
  return { keychain, vault, settings, routes, relay: () => settings.read().relay }
}

describe('the token of a tool', () => {
  it('is created once, stored in the keychain, and unique for each tool', async () => {
    const { routes, keychain } = createHarness()
    const piToken = await routes.readToken('pi')
    expect((await routes.readToken('pi')).isSame(piToken)).toBe(true)
    expect((await routes.readToken('opencode')).isSame(piToken)).toBe(false)
    expect([...keychain.items.keys()]).toEqual(['relay:pi', 'relay:opencode'])
    expect(keychain.items.get('relay:pi')).toMatch(/^relay-[\w-]{43}$/)
  })

  it('is the one that a concurrent process created', async () => {
    const { routes, keychain } = createHarness()
    const [a, b] = await Promise.all([routes.readToken('pi'), routes.readToken('pi')])
    expect(a.isSame(b)).toBe(true)
    expect(a.expose()).toBe(keychain.items.get('relay:pi'))
  })
})

describe('routes', () => {
  const relayRoute = { toolId: 'pi', planId: 'p1', keyId: 'k1' }

  it('give each tool a separate address at the configured port', () => {
    const { routes, settings, relay } = createHarness()
    settings.update(() => ({ relay: { ...relay(), port: 5001 } }))
    expect(routes.getRelayRoot('claude-code')).toBe('http://127.0.0.1:5001/t/claude-code')
  })

  it('enable the relay as soon as a tool uses it, and drop the tool again', async () => {
    const { routes, relay } = createHarness()
    await routes.point([relayRoute])
    expect(relay()).toMatchObject({ wanted: true, ways: [{ ...relayRoute, failover: [] }] })
    expect(routes.getUpstream('pi')).toMatchObject(relayRoute)
    routes.unpoint(['pi', 'opencode'])
    expect(relay()).toMatchObject({ wanted: true, ways: [] })
  })

  it('write nothing when there is no tool to drop, as at almost every start', async () => {
    const { routes, settings } = createHarness()
    await routes.point([relayRoute])
    const update = vi.spyOn(settings, 'update')
    routes.unpoint([])
    expect(update).not.toHaveBeenCalled()
  })

  it('leave the settings unchanged when the relay of this process cannot run', async () => {
    const failingRelay = { isOn: () => false, ready: () => Promise.reject(new AppError('relay.portInUse', 'taken')) }
    const { routes, relay } = createHarness(() => failingRelay)
    await expectFailure(routes.point([relayRoute]), 'relay.portInUse')
    expect(relay()).toMatchObject({ wanted: false, ways: [] })
  })

  it('undo only the routes of a failed write', async () => {
    const { routes, relay } = createHarness()
    await routes.point([{ ...relayRoute, planId: 'old' }])
    const restoreRoutes = await routes.point([relayRoute, { toolId: 'kilo', planId: 'p1' }])
    await routes.point([{ toolId: 'opencode', planId: 'p1' }])
    restoreRoutes()
    expect(relay().ways.map(({ toolId, planId }) => `${toolId} ${planId}`)).toEqual(['opencode p1', 'pi old'])
  })
})
