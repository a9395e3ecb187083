import { spawnSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createSettings, type SettingsStore } from '../../../../../src/main/core/settings/settings'
import { KeychainStalled } from '../../../../../src/main/core/vault/keychain'
import { createVault, sweepNewItems } from '../../../../../src/main/core/vault/vault'
import { Connections } from '../../../../../src/main/plans/connections/connections'
import { Plans } from '../../../../../src/main/plans/plans'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'

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
    expect(vault.holds('a', 'session')).toBe(true)
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
    expect(vault.holds('a', 'session')).toBe(false)
  })

  it('refuses a key that the command line could not store', async () => {
    const { vault, keychain } = createHarness(false)
    keychain.isLocked = true
    await expect(vault.save('a', secret)).rejects.toMatchObject(unavailable)
  })

  it('distinguishes a missing key from a stalled keychain', async () => {
    const { vault, keychain } = createHarness()
    await expectFailure(vault.get('a'), 'vault.keyMissing')
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

it.each([
  ['nothing', null],
  ['another secret', 'sk-vault-stale-0123456789'],
])('a key does not count as saved when the keychain then returns %s', async (_, returnedSecret) => {
  const { vault, keychain } = createHarness()
  await vault.state()
  Object.assign(keychain, { get: async () => returnedSecret })
  await expect(vault.save('a', secret)).rejects.toMatchObject(unavailable)
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
    await expectFailure(vault.get('a'), {
      code: 'vault.unavailable',
      message: 'The keychain (Secret Service) did not answer within 4 seconds. Sign in again.',
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
    expect(vault.holds('a', 'session')).toBe(true)
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
    expect(vault.holds('a', 'session')).toBe(false)
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

const itemSecret = new Secret('sk-items-0123456789abcdef')
const plan = { name: 'team', gatewayUrl: 'https://gw.example.com', models: ['m'] }
const log = { info: () => {}, error: () => {} }

/** A simulated computer with the state that persists between runs of the app. */
class TestComputer {
  readonly keychain = new MemoryKeychain()
  settings: Record<string, unknown> = {}

  /** Starts the app. With `dieAt`, the app is killed right before or after a keychain write. */
  open({ dieAt, clock = () => new Date() }: { dieAt?: 'before' | 'after'; clock?: () => Date } = {}) {
    let isDead = false
    const settings: SettingsStore = createSettings(
      memoryStore(this, () => {
        if (isDead) throw new Error('a dead process writes nothing')
      }),
    )
    const { keychain } = this
    const set = async (account: string, value: Secret): Promise<void> => {
      if (dieAt !== 'before') await keychain.set(account, value)
      if (dieAt === undefined) return
      isDead = true
      await new Promise(() => undefined)
    }
    const vault = createVault({
      keychain: { get: (account) => keychain.get(account), remove: (account) => keychain.remove(account), set },
      install: '',
      sessionAllowed: false,
    })
    const check = () => Promise.reject(new Error('not asked'))
    const plans = new Plans({ settings, vault, clock, check, findUses: () => () => [] })
    const connections = new Connections({
      settings,
      vault,
      clock,
      log,
      proxyFor: async () => ({ kind: 'direct' }),
      planAt: () => undefined,
      sleep: async () => {},
      random: () => 0,
      confirm: async () => true,
      commands: { require: async () => {}, askAgain: () => {}, forget: () => {} },
    })
    return { plans, connections, settings, sweep: () => sweepNewItems({ settings, vault, clock }) }
  }

  /** Changes the process id of pending writes to that of a process that has ended. */
  noteEnded(): void {
    const { pid } = spawnSync(process.execPath, ['--version'])
    const { newItems } = createSettings(memoryStore(this)).read()
    this.settings = { ...this.settings, newItems: newItems.map((note) => ({ ...note, pid })) }
  }
}

type App = ReturnType<TestComputer['open']>

const writers: readonly (readonly [string, (app: App) => Promise<unknown>])[] = [
  ['a plan with its key', ({ plans }) => plans.add({ ...plan, name: 'another' }, itemSecret)],
  [
    'one more key of a plan',
    ({ plans }) => plans.keepKey(plans.find('team').id, { keyId: 'k2', name: 'two' }, itemSecret),
  ],
  [
    'a connection with its secret',
    ({ connections }) =>
      connections.save(
        { name: 'work', addresses: {}, tokenSource: { kind: 'pasted' } },
        new Secret('token-0123456789'),
      ),
  ],
]

const crashCases = writers.flatMap(([what, write]) =>
  (['before', 'after'] as const).map((dieAt) => ({ what, write, dieAt })),
)

describe('a keychain item', () => {
  it.each(crashCases)('of $what is removed at the next start after a kill $dieAt the write', async (crashCase) => {
    const computer = new TestComputer()
    await computer.open().plans.add(plan, itemSecret)
    const [savedItemKey] = computer.keychain.items.keys()
    const killedApp = computer.open({ dieAt: crashCase.dieAt })
    void crashCase.write(killedApp).catch(() => undefined)
    await expect.poll(() => computer.settings.newItems).toHaveLength(1)
    await expect.poll(() => computer.keychain.items.size).toBe(crashCase.dieAt === 'after' ? 2 : 1)

    const laggingApp = computer.open()
    await laggingApp.sweep()
    expect(laggingApp.settings.read().newItems, 'it may still be on its way').toHaveLength(1)
    computer.noteEnded()
    const { sweep, settings, plans, connections } = computer.open()
    await sweep()
    expect([...computer.keychain.items.keys()]).toEqual([savedItemKey])
    expect(settings.read().newItems).toEqual([])
    expect([plans.list().length, connections.list().length]).toEqual([1, 0])
    await crashCase.write({ sweep, settings, plans, connections })
    expect(computer.keychain.items.size).toBe(2)
    expect(settings.read().newItems).toEqual([])
  })

  it('is removed immediately when its record cannot be saved', async () => {
    const computer = new TestComputer()
    const { plans, settings } = computer.open()
    const { id } = await plans.add(plan, itemSecret)
    const lateWritePromise = plans.keepKey(id, { name: 'two' }, itemSecret)
    settings.update(() => ({ plans: [] }))
    await expectFailure(lateWritePromise, 'plan.notFound')
    expect(computer.keychain.items.size).toBe(1)
    expect(settings.read().newItems).toEqual([])
  })

  it('that a locked keychain does not delete is deleted later, also before the next write', async () => {
    const computer = new TestComputer()
    void computer.open({ dieAt: 'after' }).plans.add(plan, itemSecret)
    await expect.poll(() => computer.keychain.items.size).toBe(1)
    computer.noteEnded()
    const { sweep, plans, settings } = computer.open()
    computer.keychain.isLocked = true
    await sweep()
    expect(settings.read().newItems).toHaveLength(1)
    computer.keychain.isLocked = false
    const { keys } = await plans.add(plan, itemSecret)
    expect([...computer.keychain.items.keys()]).toEqual(keys.map(({ id }) => id))
    expect(settings.read().newItems).toEqual([])
  })

  it('is kept when a record still names it, and a day later its process counts as ended', async () => {
    const computer = new TestComputer()
    const { plans, settings } = computer.open()
    const { keys } = await plans.add(plan, itemSecret)
    const [account = ''] = keys.map(({ id }) => id)
    const note = { pid: process.pid, at: new Date().toISOString() }
    settings.update(() => ({
      newItems: [
        { ...note, account },
        { ...note, account: 'nobodys' },
      ],
    }))
    await computer.open().sweep()
    expect(settings.read().newItems).toHaveLength(2)
    await computer.open({ clock: () => new Date(Date.now() + 25 * 3_600_000) }).sweep()
    expect(settings.read().newItems).toEqual([])
    expect([...computer.keychain.items.keys()]).toEqual([account])
  })
})
