import { readShortcuts } from '@shared/shortcuts'
import { afterEach, describe, expect, it } from 'vitest'
import { findShortcutConflict, followShortcuts, isShortcut, pressedKeys } from '../../../src/renderer/shortcuts'

const press = (
  key: string,
  heldKeys: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...heldKeys,
})

afterEach(() => followShortcuts())

describe('a pressed key', () => {
  it.each([
    [press('k', { ctrlKey: true }), 'Mod+K'],
    [press('K', { metaKey: true, shiftKey: true }), 'Mod+Shift+K'],
    [press('?', { shiftKey: true }), '?'],
    [press('F2'), 'F2'],
    [press('ư', { ctrlKey: true, altKey: true }), 'Mod+Alt+Ư'],
    [press('Control', { ctrlKey: true }), undefined],
  ])('is written as a shortcut: %j', (event, keys) => {
    expect(pressedKeys(event)).toBe(keys)
  })
})

describe('a custom shortcut', () => {
  it('replaces the default one', () => {
    followShortcuts({ find: 'Mod+Shift+F' })
    expect(isShortcut(press('f', { ctrlKey: true }), 'find')).toBe(false)
    expect(isShortcut(press('F', { ctrlKey: true, shiftKey: true }), 'find')).toBe(true)
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
