import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { isKeychainStuck, KeychainStalled, osKeychain } from '../../../../../src/main/core/vault/keychain'
import type { probeSecretService } from '../../../../../src/main/core/vault/secret-service'
import { createDeferred } from '../../../renderer/support/later'

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

describe('the system keychain', () => {
  it('is not accessed after the session bus ended, which would end the process', async () => {
    const answer = osKeychain().get('account')
    await expect(answer).rejects.toThrow(KeychainStalled)
    await expect(answer).rejects.toThrow('the session bus has ended')
    expect(getPassword).not.toHaveBeenCalled()
  })

  describe('and SIGTERM while the first call connects', () => {
    const signalListener = vi.fn()
    const probeMock = vi.fn<typeof probeSecretService>()
    beforeEach(() => {
      signalListener.mockClear()
      process.on('SIGTERM', signalListener)
      setPassword.mockImplementation(async () => {
        process.emit('SIGTERM', 'SIGTERM')
        throw new Error('The connection is closed')
      })
    })
    afterEach(() => void process.off('SIGTERM', signalListener))

    const failToSet = () =>
      expect(osKeychain(probeMock).set('account', new Secret('value'))).rejects.toThrow('The connection is closed')

    it('survives when the session bus has ended, and handles the signal again afterwards', async () => {
      probeMock.mockResolvedValueOnce('answers').mockResolvedValue('unreachable')
      const killMock = vi.spyOn(process, 'kill').mockReturnValue(true)
      await failToSet()
      const addedListener = vi.fn()
      process.once('SIGTERM', addedListener)
      await vi.waitFor(() => expect(process.listeners('SIGTERM')).toContain(signalListener))
      expect(signalListener).not.toHaveBeenCalled()
      expect(killMock).not.toHaveBeenCalled()
      process.emit('SIGTERM', 'SIGTERM')
      expect(signalListener).toHaveBeenCalledBefore(addedListener)
    })

    it('adds at most one listener, since Node warns at eleven', async () => {
      probeMock.mockResolvedValueOnce('answers').mockResolvedValue('unreachable')
      const listeners = Array.from({ length: 9 }, () => vi.fn())
      for (const listener of listeners) process.on('SIGTERM', listener)
      const listenersBefore = process.listeners('SIGTERM')
      const counts: number[] = []
      process.on('newListener', (event) => counts.push(event === 'SIGTERM' ? process.listenerCount(event) + 1 : 0))
      await failToSet()
      await vi.waitFor(() => expect(process.listeners('SIGTERM')).toEqual(listenersBefore))
      expect(Math.max(...counts)).toBe(listenersBefore.length)
      process.removeAllListeners('newListener')
      for (const listener of listeners) process.off('SIGTERM', listener)
    })

    it('leaves no listener behind when several keychains connect one after the other', async () => {
      probeMock.mockResolvedValue('unreachable').mockResolvedValueOnce('answers').mockResolvedValueOnce('answers')
      const listenersBefore = process.listeners('SIGTERM')
      setPassword.mockResolvedValue(undefined)
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      for (const keychain of [osKeychain(probeMock), osKeychain(probeMock)])
        await keychain.set('account', new Secret('value'))
      vi.advanceTimersByTime(1000)
      expect(process.listeners('SIGTERM')).toEqual(listenersBefore)
    })

    it('resends the signal to its listeners when the session bus exists', async () => {
      probeMock.mockResolvedValue('answers')
      const killMock = vi.spyOn(process, 'kill').mockImplementation(() => {
        process.emit('SIGTERM', 'SIGTERM')
        return true
      })
      await failToSet()
      await vi.waitFor(() => expect(signalListener).toHaveBeenCalledOnce())
      expect(killMock).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGTERM')
    })
  })

  it('times out after fifteen seconds when writing, since a disk may be busy', async () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const endTasks: (() => void)[] = []
    setPassword.mockImplementation(() => new Promise((resolve) => void endTasks.push(resolve)))
    const storePromise = osKeychain().set('account', new Secret('value'))
    await vi.waitFor(() => expect(endTasks).toHaveLength(1))
    vi.advanceTimersByTime(14_000)
    endTasks[0]?.()
    await expect(storePromise).resolves.toBeUndefined()
    const setPromise = osKeychain().set('account', new Secret('value'))
    await vi.waitFor(() => expect(endTasks).toHaveLength(2))
    vi.advanceTimersByTime(15_000)
    await expect(setPromise).rejects.toThrow('did not answer within 15 seconds')
    endTasks[1]?.()
    await vi.waitFor(() => expect(isKeychainStuck()).toBe(false))
  })

  it('times out after three seconds when reading', async () => {
    // Simulate macOS, where no check of the D-Bus session bus precedes the call.
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    const password = createDeferred<string>()
    getPassword.mockReturnValue(password.promise)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const answer = osKeychain().get('account')
    vi.advanceTimersByTime(3000)
    await expect(answer).rejects.toThrow('did not answer within 3 seconds')
    vi.useRealTimers()
    await vi.waitFor(() => expect(isKeychainStuck()).toBe(true))
    password.answer('late')
    await vi.waitFor(() => expect(isKeychainStuck()).toBe(false))
  })
})
