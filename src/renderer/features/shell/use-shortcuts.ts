import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { useSession } from '../../session'
import { useSettings, useUpdateSettings } from '../../settings'
import { places, settingsPlace } from './places'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA'].includes(target.tagName))

const isAsking = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** The app's keyboard shortcuts; while a dialog is open only the palette's works. */
export function useShortcuts(): void {
  const navigate = useNavigate()
  const { railCollapsed } = useSettings()
  const update = useUpdateSettings()
  useEffect(() => {
    const commands: Readonly<Record<string, () => void>> = {
      b: () => void update({ railCollapsed: !railCollapsed }),
      ...Object.fromEntries(
        [...places, settingsPlace].flatMap(({ key, path }) =>
          key === undefined ? [] : [[key, () => void navigate(path)] as const],
        ),
      ),
    }
    const press = (event: KeyboardEvent): void => {
      if (event.altKey || event.defaultPrevented) return
      const { openPalette, openShortcuts, isPaletteOpen } = useSession.getState()
      const key = event.key.toLowerCase()
      const hasMod = event.ctrlKey || event.metaKey
      const command = hasMod && key === 'k' ? () => openPalette(!isPaletteOpen) : undefined
      const quiet = isAsking() ? undefined : hasMod ? commands[key] : undefined
      const list =
        key === '?' && !hasMod && !isTyping(event.target) && !isAsking() ? () => openShortcuts(true) : undefined
      const chosen = command ?? quiet ?? list
      if (!chosen) return
      event.preventDefault()
      chosen()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [navigate, update, railCollapsed])
}
