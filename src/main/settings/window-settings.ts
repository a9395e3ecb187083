import type { MethodInput, SettingsView } from '@shared/contract'
import type { SettingsStore } from './settings'
import { localeFor } from './window-start'

interface SettingsDeps {
  readonly settings: SettingsStore
  /** The system's languages, most wanted first, as BCP 47 tags. */
  readonly systemLanguages: () => readonly string[]
  /** Tells the shell which theme to use. */
  readonly applyTheme: (theme: SettingsView['theme']) => void
  /** Tells the shell how large to show the window. */
  readonly applyZoom: (percent: number) => void
}

/** The part of the settings that a person chooses in the window. */
export interface WindowSettings {
  get(): SettingsView
  update(patch: MethodInput<'settings.update'>): SettingsView
}

export function createWindowSettings({
  settings,
  systemLanguages,
  applyTheme,
  applyZoom,
}: SettingsDeps): WindowSettings {
  const get = (): SettingsView => {
    const { theme, language, railCollapsed, zoomPercent, welcomed } = settings.read()
    return {
      theme,
      language,
      locale: localeFor(language, systemLanguages()),
      railCollapsed,
      zoomPercent,
      welcomed,
    }
  }
  return {
    get,
    update(patch) {
      const given = Object.entries(patch).filter(([, value]) => value !== undefined)
      settings.update(Object.fromEntries(given))
      if (patch.theme) applyTheme(patch.theme)
      if (patch.zoomPercent !== undefined) applyZoom(patch.zoomPercent)
      return get()
    },
  }
}
