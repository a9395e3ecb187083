import { readShortcuts } from '@shared/shortcuts'
import { afterEach, describe, expect, it } from 'vitest'
import { findShortcutConflict, followShortcuts, formatPressedKeys, isShortcut } from '../../../src/renderer/shortcuts'

const noHeldKeys = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
const buildKeyEvent = (key: string, heldKeys: Partial<typeof noHeldKeys> = {}) => ({ key, ...noHeldKeys, ...heldKeys })

afterEach(() => followShortcuts())

it.each([
  [buildKeyEvent('k', { ctrlKey: true }), 'Mod+K'],
  [buildKeyEvent('K', { metaKey: true, shiftKey: true }), 'Mod+Shift+K'],
  [buildKeyEvent('?', { shiftKey: true }), '?'],
  [buildKeyEvent('F2'), 'F2'],
  [buildKeyEvent('ư', { ctrlKey: true, altKey: true }), 'Mod+Alt+Ư'],
  [buildKeyEvent('Control', { ctrlKey: true }), undefined],
])('a pressed key is written as a shortcut: %j', (event, keys) => {
  expect(formatPressedKeys(event)).toBe(keys)
})

describe('a custom shortcut', () => {
  it('replaces the default one', () => {
    followShortcuts({ find: 'Mod+Shift+F' })
    expect(isShortcut(buildKeyEvent('f', { ctrlKey: true }), 'find')).toBe(false)
    expect(isShortcut(buildKeyEvent('F', { ctrlKey: true, shiftKey: true }), 'find')).toBe(true)
  })

  it.each([
    ['Mod+K', { kind: 'used', by: 'palette' }],
    ['Mod+C', { kind: 'taken' }],
    ['Enter', { kind: 'taken' }],
    ['Mod+Enter', { kind: 'taken' }],
    ['G', { kind: 'unfit' }],
    ['Mod+G', undefined],
    ['F7', undefined],
  ])('may be %s: %j', (keys, conflict) => {
    expect(findShortcutConflict('usage', keys)).toEqual(conflict)
  })

  it('may be the default of a command that has other keys now', () => {
    followShortcuts({ palette: 'Mod+P' })
    expect(findShortcutConflict('usage', 'Mod+K')).toBeUndefined()
  })

  it('is read from a settings file as far as it is valid', () => {
    const storedShortcuts = { usage: 'Mod+U', palette: 'k', find: 7, elsewhere: 'Mod+E' }
    expect([readShortcuts(storedShortcuts), readShortcuts('x')]).toEqual([{ usage: 'Mod+U' }, {}])
  })
})
