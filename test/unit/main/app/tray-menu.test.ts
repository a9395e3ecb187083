import { describe, expect, it } from 'vitest'
import {
  type ModelSwitch,
  modelSwitchNotice,
  modelSwitchPath,
  switchPath,
  type TrayState,
  trayTemplate,
  trayTitle,
} from '../../../../src/main/app/tray-menu'
import type { WrittenSetup } from '../../../../src/main/tools/setups/setup-views'
import { planQuota } from '../usage/quota/figures'

type TrayItem = ReturnType<typeof trayTemplate>[number]

const workConnection = { id: 'w', name: 'work', isActive: true }
const client = { id: 'c', name: 'R&D "A"', isActive: false }

const claude: WrittenSetup = {
  toolId: 'claude-code',
  toolName: 'Claude Code',
  needsRestart: true,
  status: 'configured',
  site: { kind: 'user' },
  choice: { toolId: 'claude-code', planId: 'p', modelCode: 'm' },
}

const key = { id: 'k', name: 'key', masked: 'sk-...', addedAt: '2026-01-01T00:00:00.000Z', kept: 'keychain' } as const
const team = { id: 'p', name: 'team', models: ['m', 'R&D'], keys: [key], defaultKeyId: 'k' }
const sparePlan = { id: 's', name: 'spare', models: ['m'], keys: [key], defaultKeyId: 'k' }

const listSubmenu = ({ submenu }: TrayItem): TrayItem[] => (Array.isArray(submenu) ? submenu : [])

const readText = (item: TrayItem): string | readonly [string | undefined, readonly unknown[]] => {
  if (item.type === 'separator') return '-'
  if (item.submenu) return [item.label, listSubmenu(item).map(readText)]
  return item.type === 'checkbox' ? `${item.checked ? '(x)' : '( )'} ${item.label}` : `${item.label}`
}

const flattenItems = (items: readonly TrayItem[]): readonly TrayItem[] =>
  items.flatMap((item) => [item, ...flattenItems(listSubmenu(item))])

function menu(state: Partial<TrayState> = {}) {
  const actions: string[] = []
  const emptyState = { setups: [], plans: [], quotas: [] }
  const items = trayTemplate(
    { locale: 'en', profiles: [workConnection, client], ...emptyState, ...state },
    {
      open: (path = 'window') => void actions.push(`open ${path}`),
      use: (id) => void actions.push(`use ${id}`),
      switchModel: ({ setup, plan, modelCode }) => void actions.push(`${setup.toolId}: ${modelCode} of ${plan.name}`),
      pauseRelay: (paused) => void actions.push(paused ? 'pause' : 'resume'),
      quit: () => void actions.push('quit'),
    },
  )
  const clickMenuItem = (label: string): void => {
    const item = flattenItems(items).find((menuItem) => menuItem.label === label)
    if (item?.click) Reflect.apply(item.click, undefined, [])
  }
  return { items, lines: items.map(readText), done: actions, press: clickMenuItem }
}

describe('the menu of the tray', () => {
  it('opens the app, marks the active profile, and quits', () => {
    const { lines, done, press } = menu()
    expect(lines).toEqual(['Open Platform Companion', '-', 'Profiles', '(x) work', '( ) R&&D "A"', '-', 'Quit'])
    press('Open Platform Companion')
    press('( )')
    press('R&&D "A"')
    press('Quit')
    expect(done).toEqual(['open window', 'use c', 'quit'])
  })

  it('starts with the tools whose key is rejected, each with a link to change the key', () => {
    const disabledPlan = { ...team, keys: [{ ...key, status: 'DISABLED' as const }] }
    const { lines, done, press } = menu({ setups: [claude], plans: [disabledPlan] })
    expect(lines.slice(0, 3)).toEqual(['Open Platform Companion', '-', '⚠ Claude Code uses a disabled key'])
    press('⚠ Claude Code uses a disabled key')
    expect(done).toEqual(['open /tools/claude-code?do=configure'])
    expect(menu({ setups: [claude], plans: [team] }).lines.join()).not.toContain('⚠')
  })

  it('is rebuilt when an identical line has another target, such as a plan added again', () => {
    const text = (state: Partial<TrayState>): string => JSON.stringify(menu(state).items)
    const setups = [claude]
    const otherPlan = { ...sparePlan, id: 's2' }
    expect(text({ setups, plans: [team, sparePlan] })).not.toBe(text({ setups, plans: [team, otherPlan] }))
    const otherProfile = { ...client, id: 'c2' }
    expect(text({ profiles: [workConnection, client] })).not.toBe(text({ profiles: [workConnection, otherProfile] }))
  })

  it('marks the profile being applied, and disables the others', () => {
    const { lines, done, press } = menu({ switchingTo: 'c' })
    expect(lines.slice(3, 5)).toEqual(['( ) work', '(x) R&&D "A"'])
    press('work')
    expect(done).toEqual([])
  })

  it('links to the profiles when there is none, in the language of the window', () => {
    const { lines, done, press } = menu({ profiles: [], locale: 'vi' })
    expect(lines).toEqual(['Mở Platform Companion', '-', 'Profile', 'Tạo profile…', '-', 'Thoát'])
    press('Tạo profile…')
    expect(done).toEqual(['open /profiles'])
  })

  it('shows the state of an enabled relay, and pauses it while it runs', () => {
    const { lines, done, press } = menu({ relay: { state: 'on' } })
    expect(lines.slice(-5)).toEqual(['-', 'Relay: on', 'Pause relay', '-', 'Quit'])
    press('Relay: on')
    press('Pause relay')
    const paused = menu({ relay: { state: 'paused' }, locale: 'vi' })
    expect(paused.lines.slice(-4, -2)).toEqual(['Relay: tạm dừng', 'Chạy tiếp relay'])
    paused.press('Chạy tiếp relay')
    expect([...done, ...paused.done]).toEqual(['open /relay', 'pause', 'resume'])
    expect(menu({ relay: { state: 'failed' } }).lines.slice(-3)).toEqual(['Relay: failed', '-', 'Quit'])
  })

  it('shows the tightest known quota of each plan', () => {
    const { lines, done, press } = menu({ quotas: [planQuota('R&D', 88)] })
    expect(lines.slice(0, 3)).toEqual(['Open Platform Companion', 'R&&D · m 12% left (tokens)', '-'])
    press('R&&D · m 12% left (tokens)')
    const manyQuotas = [planQuota('a', 60), planQuota('b', 10), planQuota('none', 0, { models: [] })]
    const translatedMenu = menu({ locale: 'vi', quotas: manyQuotas })
    expect(translatedMenu.lines.slice(1, 4)).toEqual([
      'a · m còn 40% (token)',
      ['Quota còn lại', ['a · m còn 40% (token)', 'b · m còn 90% (token)']],
      '-',
    ])
    translatedMenu.press('b · m còn 90% (token)')
    expect([...done, ...translatedMenu.done]).toEqual(['open /usage/left', 'open /usage/left'])
  })

  it('lists plans with models and remaining quota for each tool, and marks the active one', () => {
    const site = { kind: 'project', folder: '/home/lan/app' } as const
    const projectSetup: WrittenSetup = { ...claude, toolName: 'OpenCode', site }
    const quotas = [planQuota('p', 88, { planId: 'p' })]
    const { lines, done, press } = menu({ setups: [claude, projectSetup], plans: [sparePlan, team], quotas })
    const submenu = ['team', '(x) m · 12% left', '( ) R&&D', '-', 'spare', '( ) m']
    expect(lines.slice(2, 6)).toEqual(['-', 'Tools', ['Claude Code · m', submenu], ['OpenCode (app) · m', submenu]])
    press('R&&D')
    expect(done).toEqual(['claude-code: R&D of team'])
  })

  it('marks the model being applied, and disables the others', () => {
    const pendingModelSwitch = { setup: claude, plan: team, modelCode: 'R&D' }
    const { lines, done, press } = menu({ setups: [claude], plans: [team], switchingTo: pendingModelSwitch })
    expect(lines[3]).toEqual(['Claude Code · m', ['team', '( ) m', '(x) R&&D']])
    press('m')
    press('work')
    expect(done).toEqual([])
  })

  it('links to the window for a modified tool, and for lists too long for a menu', () => {
    const driftedMenu = menu({ setups: [{ ...claude, status: 'drifted' }], plans: [team] })
    expect(driftedMenu.lines[3]).toEqual(['Claude Code · m', ['Needs attention. Open…']])
    driftedMenu.press('Needs attention. Open…')
    const sparePlans = Array.from({ length: 12 }, (_, n) => ({ ...sparePlan, id: `s${n}`, name: `spare ${n}` }))
    const longMenu = menu({ setups: [claude], plans: [...sparePlans, team] })
    expect(longMenu.lines[3]).toMatchObject(['Claude Code · m', expect.toSatisfy((lines) => lines.length === 26)])
    longMenu.press('More…')
    expect(driftedMenu.done).toEqual(['open /tools/claude-code'])
    expect(longMenu.done).toEqual(['open /tools/claude-code?do=configure'])
  })

  it('omits plans that are expired or without a key, except the one in use', () => {
    const quotas = ['s', 'p'].map((planId) => planQuota(planId, 10, { isExpired: true }))
    const keylessPlan = { ...sparePlan, id: 'n', name: 'keyless', defaultKeyId: undefined }
    const { lines } = menu({ setups: [claude], plans: [sparePlan, keylessPlan, team], quotas })
    expect(lines[3]).toEqual(['Claude Code · m', ['team', '(x) m', '( ) R&&D']])
  })

  it('shows the active profile as a tooltip', () => {
    expect(trayTitle({ profiles: [client, workConnection] })).toBe('Platform Companion · work')
    expect(trayTitle({ profiles: [client] })).toBe('Platform Companion')
  })

  it('links to the page that explains a failure', () => {
    expect(switchPath('a/b')).toBe('/profiles/a%2Fb/switch')
    expect(switchPath('w', 'file.unwritable')).toBe('/profiles/w/switch?failed=file.unwritable')
  })

  it('shows the result of a switch in a notification', () => {
    const modelSwitch: ModelSwitch = { setup: claude, plan: sparePlan, modelCode: 'm' }
    expect([modelSwitchNotice(modelSwitch, 'switched', 'en'), modelSwitchNotice(modelSwitch, 'failed', 'vi')]).toEqual([
      { title: 'Claude Code now uses m', body: 'Restart Claude Code if it is running.', path: '/tools/claude-code' },
      {
        title: 'Không chuyển được Claude Code sang m',
        body: 'Chưa có gì thay đổi. Nhấn để xem nguyên nhân.',
        path: '/tools/claude-code?do=configure&plan=s&model=m',
      },
    ])
    expect(modelSwitchNotice({ ...modelSwitch, plan: team }, 'switched', 'en')).toBeUndefined()
    const steadySetup = { ...claude, needsRestart: false }
    expect(modelSwitchNotice({ ...modelSwitch, setup: steadySetup }, 'switched', 'en')).toBeUndefined()
    const setup: WrittenSetup = { ...claude, site: { kind: 'project', folder: '/home/a b' } }
    expect(modelSwitchPath({ ...modelSwitch, setup })).toBe(
      '/tools/claude-code?at=project%3A%2Fhome%2Fa+b&do=configure&plan=s&model=m',
    )
  })
})
