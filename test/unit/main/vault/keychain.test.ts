import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isKeychainStuck, osKeychain } from '../../../../src/main/vault/keychain'
import { KeychainStalled } from '../../../../src/main/vault/vault'

const { getPassword } = vi.hoisted(() => ({ getPassword: vi.fn<() => Promise<string>>() }))
vi.mock('keytar', () => ({ default: { getPassword } }))

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

  it('is waited for no longer than three seconds', async () => {
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
