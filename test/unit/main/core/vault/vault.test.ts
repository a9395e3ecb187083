import { describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { KeychainStalled } from '../../../../../src/main/core/vault/keychain'
import { createVault } from '../../../../../src/main/core/vault/vault'
import { MemoryKeychain } from '../../../../support/memory-keychain'

const secret = new Secret('sk-vault-0123456789abcdef')
const unavailable = { failure: { code: 'vault.unavailable' } }
const createHarness = (sessionAllowed = true) => {
  const keychain = new MemoryKeychain()
  const onChange = vi.fn()
  const onMoved = vi.fn()
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed, onChange, onMoved })
  return { keychain, onChange, onMoved, vault }
}

describe('vault', () => {
  it('saves a key in the keychain and reads it back', async () => {
    const { vault, keychain } = createHarness()
    expect(await vault.save('a', secret)).toBe('keychain')
    expect((await vault.get('a')).expose()).toBe(secret.expose())
    expect([...keychain.items.keys()]).toEqual(['a'])
  })

  it('updates an item in place instead of removing it first', async () => {
    const { vault, keychain } = createHarness()
    await vault.save('a', secret)
    await vault.save('a', new Secret('sk-vault-other-0123456789'))
    expect(keychain.asked.filter((call) => call.startsWith('remove'))).toEqual([])
    expect(keychain.items.get('a')).toBe('sk-vault-other-0123456789')
  })

  it('serializes calls, since concurrent writes of one item fail', async () => {
    const { vault } = createHarness()
    await Promise.all([vault.save('a', secret), vault.save('a', secret), vault.save('b', secret)])
    await Promise.all([vault.get('a'), vault.get('b')])
  })

  it('keeps keys for the session without a keychain, and says why and what to install', async () => {
    const { vault, keychain } = createHarness()
    keychain.isLocked = true
    expect(await vault.save('a', secret)).toBe('session')
    expect(vault.holdsForSession('a')).toBe(true)
    expect(await vault.state()).toEqual({
      kind: 'session',
      reason: 'Cannot autolaunch D-Bus without X11 $DISPLAY',
      install: 'Install a keyring.',
    })
    expect(keychain.items.size).toBe(0)
  })

  it('moves session keys into the keychain once it is available', async () => {
    const { vault, keychain } = createHarness()
    keychain.isLocked = true
    await vault.save('a', secret)
    expect(await vault.recheck()).toEqual([])
    keychain.isLocked = false
    expect(await vault.recheck()).toEqual(['a'])
    expect(keychain.items.get('a')).toBe(secret.expose())
    expect(vault.holdsForSession('a')).toBe(false)
  })

  it('refuses a key that the command line could not store', async () => {
    const { vault, keychain } = createHarness(false)
    keychain.isLocked = true
    await expect(vault.save('a', secret)).rejects.toMatchObject(unavailable)
  })

  it('distinguishes a missing key from a stalled keychain', async () => {
    const { vault, keychain } = createHarness()
    await expect(vault.get('a')).rejects.toMatchObject({ failure: { code: 'vault.keyMissing' } })
    keychain.isLocked = true
    await expect(vault.get('a')).rejects.toMatchObject(unavailable)
  })

  it('never repeats a key in an error', async () => {
    const { vault, keychain } = createHarness()
    await vault.state()
    keychain.isLocked = true
    const error: unknown = await vault.save('a', secret).catch((caught: unknown) => caught)
    expect(JSON.stringify(error)).not.toContain(secret.expose())
    expect(String(error)).not.toContain(secret.expose())
  })
})

describe('a keychain that loses writes', () => {
  it.each([
    ['nothing', null],
    ['another secret', 'sk-vault-stale-0123456789'],
  ])('does not count as saved when it returns %s', async (_, returnedSecret) => {
    const { vault, keychain } = createHarness()
    await vault.state()
    Object.assign(keychain, { get: async () => returnedSecret })
    await expect(vault.save('a', secret)).rejects.toMatchObject(unavailable)
  })
})

describe('a keychain that stalls', () => {
  const keychainStallError = new KeychainStalled(
    'The keychain (Secret Service) did not answer within 4 seconds',
    'Sign in again.',
  )
  const stop = (keychain: MemoryKeychain) => {
    const { get, set, remove } = keychain
    const rejectRequest = () => Promise.reject(keychainStallError)
    Object.assign(keychain, { get: rejectRequest, set: rejectRequest, remove: rejectRequest })
    return () => Object.assign(keychain, { get, set, remove })
  }

  it('is reported with a remedy, and later keys are kept for the session', async () => {
    const { vault, keychain, onChange } = createHarness()
    await vault.save('a', secret)
    expect(onChange).not.toHaveBeenCalled()
    stop(keychain)
    await expect(vault.get('a')).rejects.toMatchObject({
      failure: {
        code: 'vault.unavailable',
        message: 'The keychain (Secret Service) did not answer within 4 seconds. Sign in again.',
      },
    })
    expect(onChange).toHaveBeenCalledOnce()
    expect(await vault.state()).toEqual({
      kind: 'session',
      reason: keychainStallError.message,
      install: 'Sign in again.',
    })
    expect(await vault.save('b', secret)).toBe('session')
    expect((await vault.get('b')).expose()).toBe(secret.expose())
  })

  it('is detected by saving a key, which is then kept for the session', async () => {
    const { vault, keychain } = createHarness()
    await vault.state()
    stop(keychain)
    expect(await vault.save('a', secret)).toBe('session')
    expect(vault.holdsForSession('a')).toBe(true)
  })

  it('is used again by the next write, which also moves the session keys', async () => {
    const { vault, keychain, onMoved, onChange } = createHarness()
    const restart = stop(keychain)
    expect(await vault.save('a', secret)).toBe('session')
    restart()
    expect(await vault.save('b', secret)).toBe('keychain')
    expect([...keychain.items.keys()]).toEqual(['a', 'b'])
    expect(onMoved).toHaveBeenCalledExactlyOnceWith(['a'])
    expect(await vault.state()).toEqual({ kind: 'keychain' })
    expect(onChange).toHaveBeenCalled()
  })

  it.each(['a', 'b'])('is used again after a read of %s', async (id) => {
    const { vault, keychain, onMoved } = createHarness()
    keychain.items.set('b', 'sk-vault-b-0123456789')
    const restart = stop(keychain)
    expect(await vault.save('a', secret)).toBe('session')
    restart()
    await vault.get(id)
    await vi.waitFor(() => expect(onMoved).toHaveBeenCalledWith(['a']))
    expect(vault.holdsForSession('a')).toBe(false)
    expect(await vault.state()).toEqual({ kind: 'keychain' })
  })

  it('keeps no item of a key that was replaced during the stall and removed afterwards', async () => {
    const { vault, keychain } = createHarness()
    await vault.save('a', secret)
    const restart = stop(keychain)
    expect(await vault.save('a', new Secret('sk-vault-other-0123456789'))).toBe('session')
    restart()
    await vault.remove('a')
    expect(keychain.items.size).toBe(0)
  })

  it('is an error for a short-lived process', async () => {
    const { vault, keychain } = createHarness(false)
    await vault.state()
    stop(keychain)
    await expect(vault.save('a', secret)).rejects.toMatchObject(unavailable)
  })
})
