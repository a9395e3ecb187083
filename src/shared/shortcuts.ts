/** Default shortcut per command, as `Mod+Shift+K`. `Mod` is Command on macOS and Ctrl elsewhere. */
export const defaultShortcuts = {
  palette: 'Mod+K',
  home: 'Mod+1',
  tools: 'Mod+2',
  profiles: 'Mod+3',
  plans: 'Mod+4',
  usage: 'Mod+5',
  playground: 'Mod+6',
  register: 'Mod+7',
  sandbox: 'Mod+8',
  connections: 'Mod+9',
  settings: 'Mod+,',
  find: 'Mod+F',
  newChat: 'Mod+N',
  rail: 'Mod+B',
  help: '?',
} as const

export type ShortcutId = keyof typeof defaultShortcuts
export type Shortcuts = Readonly<Record<ShortcutId, string>>

/** A valid shortcut: Ctrl or Command with a key, or a function key. */
export const shortcutPattern = /^(Mod\+(Alt\+)?(Shift\+)?([^\s+a-z]|[A-Z][A-Za-z]{1,9})|F\d{1,2})$/

/** Custom shortcuts. Invalid ones are ignored. */
export function readShortcuts(stored: unknown): Partial<Shortcuts> {
  if (typeof stored !== 'object' || stored === null) return {}
  const entries = Object.entries(stored).filter(
    ([id, keys]) => Object.hasOwn(defaultShortcuts, id) && typeof keys === 'string' && shortcutPattern.test(keys),
  )
  return Object.fromEntries(entries)
}

/** Zoom levels in percent. */
export const zoomSteps = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200] as const

export const defaultZoom = 100

export function nextZoom(percent: number, step: 'in' | 'out' | 'reset'): number {
  if (step === 'reset') return defaultZoom
  if (step === 'in')
    return zoomSteps.find((zoomStep) => zoomStep > percent) ?? zoomSteps[zoomSteps.length - 1] ?? defaultZoom
  return zoomSteps.findLast((zoomStep) => zoomStep < percent) ?? zoomSteps[0]
}
