import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { RelayView } from '@shared/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { relaySwitchNotifier, showNotice, startReminderServices } from '../../../../src/main/app/desktop-services'
import { memorySettings } from '../../../support/memory-settings'
import { shownWindows } from '../../support/electron'

afterEach(() => void vi.useRealTimers())

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  // A dereferenced weak reference stays alive until the next task.
  await new Promise(setImmediate)
  runInNewContext('gc')()
}

it('opens the target of an old notification in its connection', async () => {
  const actions: string[] = []
  const connections = {
    list: () => [{ id: 'other', isActive: false }],
    use: (id: string) => void actions.push(`use ${id}`),
  }
  const core = { connections } as unknown as Parameters<typeof showNotice>[0]
  const show = showNotice(core, (path) => void actions.push(`open ${path}`))
  show({ title: 'team expires in 3 days', body: '', path: '/plans/p?connection=other' })
  await collectGarbage()
  shownWindows[0]?.deref()?.emit('click')
  expect(actions).toEqual(['use other', 'open /plans/p?connection=other'])
})

it.each([
  [4, 4],
  [5, 1],
])('shows for %i items %i notifications', (itemCount, notificationCount) => {
  const core = { settings: { read: () => ({ language: 'en' }) } } as unknown as Parameters<
    typeof relaySwitchNotifier
  >[0]
  const tools = Array.from({ length: itemCount }, (_, index) => ({
    toolId: `tool${index}`,
    toolName: `Tool ${index}`,
    lastSwitch: { at: '2026-05-04T03:02:01Z', from: 'a', to: 'b', until: '2026-05-04T03:12:01Z' },
  }))
  shownWindows.length = 0
  relaySwitchNotifier(core, () => undefined)({ tools } as unknown as RelayView)
  expect(shownWindows).toHaveLength(notificationCount)
})

/** Creates services that record their notifications and checks, with reminders of keys only. */
function remindedMachine() {
  const checkedNames: string[] = []
  const recordCall = (name: string) => () => {
    checkedNames.push(name)
    return []
  }
  const { alerts } = memorySettings().read()
  const settings = memorySettings({
    alerts: { ...alerts, settings: { ...alerts.settings, enabled: false } },
    reminders: { enabled: false, days: [] },
  })
  const noop = (): void => undefined
  const core = {
    log: { info: noop, error: noop },
    settings,
    quota: { list: async () => recordCall('quota')() },
    ledger: { countSince: async () => [] },
    budgets: { list: async () => [] },
    plans: { list: () => [] },
    connections: { list: () => [] },
    register: { deleteDue: async () => recordCall('keys')(), disableDue: async () => [] },
    rotation: { schedules: { startDue: async () => [] } },
    usage: { look: async () => recordCall('usage')() },
    webhook: { isOn: () => false },
  } as unknown as Parameters<typeof startReminderServices>[0]
  return { looks: checkedNames, start: () => startReminderServices(core, noop, noop) }
}

it('polls from a second after the start, so the window gets its first answers, and soon after new usage', async () => {
  vi.useFakeTimers()
  const { looks, start } = remindedMachine()
  const { checkSoon, stop } = start()
  await vi.advanceTimersByTimeAsync(999)
  expect(looks).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(looks.toSorted()).toEqual(['keys', 'quota', 'usage'])
  looks.length = 0
  for (let index = 0; index < 1000; index += 1) checkSoon()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(looks).toEqual(['quota'])
  await vi.advanceTimersByTimeAsync(285_000)
  expect(looks.toSorted()).toEqual(['keys', 'quota', 'quota', ...Array(5).fill('usage')])
  checkSoon()
  stop()
  looks.length = 0
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(looks).toEqual([])
})

it('starts no poller when the app quits within that second', async () => {
  vi.useFakeTimers()
  const { looks, start } = remindedMachine()
  start().stop()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(looks).toEqual([])
})
