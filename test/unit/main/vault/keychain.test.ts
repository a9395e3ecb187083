import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../src/main/secret'
import { isKeychainStuck, KeychainStalled, osKeychain } from '../../../../src/main/vault/keychain'

const { getPassword, setPassword } = vi.hoisted(() => ({
  getPassword: vi.fn<() => Promise<string>>(),
  setPassword: vi.fn<() => Promise<void>>(),
}))
vi.mock('keytar', () => ({ default: { getPassword, setPassword } }))

beforeEach(() => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere/bus')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the keychain of the system', () => {
  it('is not asked when the session bus has ended, which would end the process', async () => {
    const answer = osKeychain().get('account')
    await expect(answer).rejects.toThrow(KeychainStalled)
    await expect(answer).rejects.toThrow('the session bus has ended')
    expect(getPassword).not.toHaveBeenCalled()
  })

  it('is waited for fifteen seconds when it writes, as a busy disk may take', async () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const ends: (() => void)[] = []
    setPassword.mockImplementation(() => new Promise((resolve) => void ends.push(resolve)))
    const written = osKeychain().set('account', new Secret('value'))
    await vi.waitFor(() => expect(ends).toHaveLength(1))
    vi.advanceTimersByTime(14_000)
    ends[0]?.()
    await expect(written).resolves.toBeUndefined()
    const given = osKeychain().set('account', new Secret('value'))
    await vi.waitFor(() => expect(ends).toHaveLength(2))
    vi.advanceTimersByTime(15_000)
    await expect(given).rejects.toThrow('did not answer within 15 seconds')
    ends[1]?.()
    await vi.waitFor(() => expect(isKeychainStuck()).toBe(false))
  })

  it('is waited for no longer than three seconds when it reads', async () => {
    // Nothing is asked of a bus there.
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    let end = (_: string): void => undefined
    getPassword.mockReturnValue(
      new Promise((resolve) => {
        end = resolve
      }),
    )
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const answer = osKeychain().get('account')
    vi.advanceTimersByTime(3000)
    await expect(answer).rejects.toThrow('did not answer within 3 seconds')
    vi.useRealTimers()
    await vi.waitFor(() => expect(isKeychainStuck()).toBe(true))
    end('late')
    await vi.waitFor(() => expect(isKeychainStuck()).toBe(false))
  })
})
