import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createSettings, type SettingsStore } from '../../../../../src/main/core/settings/settings'
import { createVault, PendingKeychainItems } from '../../../../../src/main/core/vault/vault'
import { Connections } from '../../../../../src/main/plans/connections/connections'
import { Plans } from '../../../../../src/main/plans/plans'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memoryStore } from '../../../../support/memory-settings'

const secret = new Secret('sk-items-0123456789abcdef')
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
    return { plans, connections, settings, items: new PendingKeychainItems({ settings, vault, clock }) }
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
  ['a plan with its key', ({ plans }) => plans.add({ ...plan, name: 'another' }, secret)],
  ['one more key of a plan', ({ plans }) => plans.keepKey(plans.find('team').id, { keyId: 'k2', name: 'two' }, secret)],
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
  it.each(crashCases)(
    'of $what is removed at the next start after a kill right $dieAt the write',
    async (crashCase) => {
      const computer = new TestComputer()
      await computer.open().plans.add(plan, secret)
      const [savedItemKey] = computer.keychain.items.keys()
      const killedApp = computer.open({ dieAt: crashCase.dieAt })
      void crashCase.write(killedApp).catch(() => undefined)
      await expect.poll(() => computer.settings.newItems).toHaveLength(1)
      await expect.poll(() => computer.keychain.items.size).toBe(crashCase.dieAt === 'after' ? 2 : 1)

      const laggingApp = computer.open()
      await laggingApp.items.sweep()
      expect(laggingApp.settings.read().newItems, 'it may still be on its way').toHaveLength(1)
      computer.noteEnded()
      const { items, settings, plans, connections } = computer.open()
      await items.sweep()
      expect([...computer.keychain.items.keys()]).toEqual([savedItemKey])
      expect(settings.read().newItems).toEqual([])
      expect([plans.list().length, connections.list().length]).toEqual([1, 0])
      await crashCase.write({ items, settings, plans, connections })
      expect(computer.keychain.items.size).toBe(2)
      expect(settings.read().newItems).toEqual([])
    },
  )

  it('is removed immediately when its record cannot be saved', async () => {
    const computer = new TestComputer()
    const { plans, settings } = computer.open()
    const { id } = await plans.add(plan, secret)
    const lateWritePromise = plans.keepKey(id, { name: 'two' }, secret)
    settings.update(() => ({ plans: [] }))
    await expect(lateWritePromise).rejects.toMatchObject({ failure: { code: 'plan.notFound' } })
    expect(computer.keychain.items.size).toBe(1)
    expect(settings.read().newItems).toEqual([])
  })

  it('that a locked keychain does not delete is deleted later, also before the next write', async () => {
    const computer = new TestComputer()
    void computer.open({ dieAt: 'after' }).plans.add(plan, secret)
    await expect.poll(() => computer.keychain.items.size).toBe(1)
    computer.noteEnded()
    const { items, plans, settings } = computer.open()
    computer.keychain.isLocked = true
    await items.sweep()
    expect(settings.read().newItems).toHaveLength(1)
    computer.keychain.isLocked = false
    const { keys } = await plans.add(plan, secret)
    expect([...computer.keychain.items.keys()]).toEqual(keys.map(({ id }) => id))
    expect(settings.read().newItems).toEqual([])
  })

  it('is kept when a record still names it, and a day later its process counts as ended', async () => {
    const computer = new TestComputer()
    const { plans, settings } = computer.open()
    const { keys } = await plans.add(plan, secret)
    const [account = ''] = keys.map(({ id }) => id)
    const note = { pid: process.pid, at: new Date().toISOString() }
    settings.update(() => ({
      newItems: [
        { ...note, account },
        { ...note, account: 'nobodys' },
      ],
    }))
    await computer.open().items.sweep()
    expect(settings.read().newItems).toHaveLength(2)
    await computer.open({ clock: () => new Date(Date.now() + 25 * 3_600_000) }).items.sweep()
    expect(settings.read().newItems).toEqual([])
    expect([...computer.keychain.items.keys()]).toEqual([account])
  })
})
