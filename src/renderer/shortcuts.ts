import { defaultShortcuts, type ShortcutId, type Shortcuts, shortcutPattern } from '@shared/shortcuts'
import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'

export const useShortcuts = create<Shortcuts>(() => defaultShortcuts)

/** Replaces the default shortcuts by the saved ones. */
export const followShortcuts = (chosen: Partial<Shortcuts> = {}): void =>
  useShortcuts.setState({ ...defaultShortcuts, ...chosen })

type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** Shortcut text of an event. Undefined for modifier keys alone. */
export function formatPressedKeys({ key, ctrlKey, metaKey, altKey, shiftKey }: PressedKey): string | undefined {
  if (['Control', 'Meta', 'Alt', 'AltGraph', 'Shift', 'Dead', 'Process', 'Unidentified'].includes(key)) return undefined
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key
  // A character such as "?" already implies Shift.
  const hasShift = shiftKey && (name.length > 1 || /\p{L}/u.test(name))
  return [ctrlKey || metaKey ? 'Mod' : '', altKey ? 'Alt' : '', hasShift ? 'Shift' : '', name].filter(Boolean).join('+')
}

export const isShortcut = (event: PressedKey, id: ShortcutId): boolean =>
  formatPressedKeys(event) === useShortcuts.getState()[id]

export const splitShortcut = (shortcut: string): readonly string[] => shortcut.split('+')

/** Value for `aria-keyshortcuts`. */
export function ariaShortcut(shortcut: string): string {
  const withModifier = (mod: string): string => shortcut.replace('Mod', mod)
  return shortcut.startsWith('Mod+') ? `${withModifier('Control')} ${withModifier('Meta')}` : shortcut
}

/** Shortcuts that are reserved by text fields, the window or the system. */
const reservedShortcuts = [
  ...['A', 'C', 'V', 'X', 'Z', 'Y', 'S', 'Q', 'W', 'R', 'M', 'H', '+', '-', '=', '0'].map((key) => `Mod+${key}`),
  ...['Mod+Shift+Z', 'Mod+Shift+I', 'Mod+Shift+R', 'Enter', 'Tab', 'Escape', 'Backspace', 'Delete', 'Home', 'End'],
  ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'F5', 'F10', 'F11', 'F12'],
]

/** Reason why a shortcut is not allowed: invalid, reserved by the system, or in use. */
export function findShortcutConflict(
  id: ShortcutId,
  keys: string,
): { readonly kind: 'unfit' | 'taken' } | { readonly kind: 'used'; readonly by: ShortcutId } | undefined {
  const lastKey = keys.split('+').at(-1) ?? ''
  if (reservedShortcuts.includes(keys) || (lastKey.length > 1 && reservedShortcuts.includes(lastKey)))
    return { kind: 'taken' }
  if (keys !== defaultShortcuts[id] && !shortcutPattern.test(keys)) return { kind: 'unfit' }
  const shortcuts = useShortcuts.getState()
  const ids = Object.keys(defaultShortcuts) as ShortcutId[]
  const conflictingId = ids.find((otherId) => otherId !== id && shortcuts[otherId] === keys)
  return conflictingId && { kind: 'used', by: conflictingId }
}

/** Whether a dialog is open, which disables the shortcuts of the page. */
export const isDialogOpen = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Whether a dialog, menu or list of options is open. */
export const isOverlayOpen = (): boolean =>
  isDialogOpen() || document.querySelector('[role="menu"], [role="listbox"]') !== null

/** Handles keys pressed anywhere in the window, while mounted and `isOn`. */
export function useWindowKey(
  onKeyDown: (event: KeyboardEvent) => void,
  { isOn = true, capture = false }: { readonly isOn?: boolean; readonly capture?: boolean } = {},
): void {
  const handleKeyDown = useEffectEvent(onKeyDown)
  useEffect(() => {
    if (!isOn) return
    window.addEventListener('keydown', handleKeyDown, { capture })
    return () => window.removeEventListener('keydown', handleKeyDown, { capture })
  }, [isOn, capture])
}
