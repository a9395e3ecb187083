import { describe, expect, it } from 'vitest'
import { switchPath, type TrayState, trayTemplate, trayTitle } from '../../../../src/main/app/tray'

const work = { id: 'w', name: 'work', isActive: true }
const client = { id: 'c', name: 'R&D "A"', isActive: false }

function menu(state: Partial<TrayState> = {}) {
  const done: string[] = []
  const items = trayTemplate(
    { locale: 'en', profiles: [work, client], ...state },
    {
      open: (path = 'window') => void done.push(`open ${path}`),
      use: (id) => void done.push(`use ${id}`),
      pauseRelay: (paused) => void done.push(paused ? 'pause' : 'resume'),
      quit: () => void done.push('quit'),
    },
  )
  const press = (label: string): void => {
    const item = items.find((one) => 'label' in one && one.label === label)
    if (item && 'click' in item) item.click?.()
  }
  const lines = items.map((item) =>
    item.type === 'separator'
      ? '-'
      : item.type === 'radio'
        ? `${item.checked ? '(x)' : '( )'} ${item.label}`
        : item.label,
  )
  return { items, lines, done, press }
}

describe('the menu of the tray', () => {
  it('opens, marks the profile in use, and quits', () => {
    const { lines, done, press } = menu()
    expect(lines).toEqual(['Open Platform Companion', '-', 'Profiles', '(x) work', '( ) R&&D "A"', '-', 'Quit'])
    press('Open Platform Companion')
    press('( )')
    press('R&&D "A"')
    press('Quit')
    expect(done).toEqual(['open window', 'use c', 'quit'])
  })

  it('marks the profile that is switched to meanwhile, and lets none be chosen', () => {
    const { lines, done, press } = menu({ switchingTo: 'c' })
    expect(lines.slice(3, 5)).toEqual(['( ) work', '(x) R&&D "A"'])
    press('work')
    expect(done).toEqual([])
  })

  it('leads to the profiles while there is none, in the language of the window', () => {
    const { lines, done, press } = menu({ profiles: [], locale: 'vi' })
    expect(lines).toEqual(['Mở Platform Companion', '-', 'Profile', 'Tạo profile…', '-', 'Thoát'])
    press('Tạo profile…')
    expect(done).toEqual(['open /profiles'])
  })

  it('shows how a relay that is wanted stands, and pauses it while it runs', () => {
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

  it('shows the tightest allowance where it is known', () => {
    const { lines, done, press } = menu({ quotaLine: 'R&D · aurora-large 12% left' })
    expect(lines.slice(0, 3)).toEqual(['Open Platform Companion', 'R&&D · aurora-large 12% left', '-'])
    press('R&&D · aurora-large 12% left')
    expect(done).toEqual(['open /usage/left'])
  })

  it('names the profile in use when the pointer rests on the sign', () => {
    expect(trayTitle({ profiles: [client, work] })).toBe('Platform Companion · work')
    expect(trayTitle({ profiles: [client] })).toBe('Platform Companion')
  })

  it('leads to the page that tells what went wrong', () => {
    expect(switchPath('a/b')).toBe('/profiles/a%2Fb/switch')
    expect(switchPath('w', 'file.unwritable')).toBe('/profiles/w/switch?failed=file.unwritable')
  })
})
