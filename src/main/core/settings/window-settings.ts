import { join } from 'node:path'
import type { MethodInput, MethodOutput, SettingsView } from '@shared/contract'
import type { FirstScreenData } from '@shared/first-screen'
import { defaultZoom, readShortcuts, zoomSteps } from '@shared/shortcuts'
import { readRegularFile } from '../data-dir'
import type { SettingsStore } from './settings'

interface SettingsDeps {
  readonly settings: SettingsStore
  readonly version: string
  /** The system's languages as BCP 47 tags, most preferred first. */
  readonly systemLanguages: () => readonly string[]
  readonly applyTheme: (theme: SettingsView['theme']) => void
  readonly applyZoom: (percent: number) => void
}

export type WindowSettings = ReturnType<typeof createWindowSettings>

export function createWindowSettings({ settings, version, systemLanguages, applyTheme, applyZoom }: SettingsDeps) {
  const getSettingsView = (): SettingsView => {
    const { theme, language, railCollapsed, zoomPercent, welcomed, shortcuts, newsSeen, plans } = settings.read()
    return {
      theme,
      language,
      locale: resolveLocale(language, systemLanguages()),
      railCollapsed,
      zoomPercent,
      // Skip the welcome page if the command line has already added a plan.
      welcomed: welcomed || plans.length > 0,
      shortcuts,
      newsSeen,
    }
  }
  const getReminders = (): MethodOutput<'settings.getReminders'> => {
    const { reminders, keyReminders } = settings.read()
    return { ...reminders, keyDays: keyReminders.days }
  }
  return {
    get: getSettingsView,
    getReminders,
    setReminders({ enabled, days, keyDays }: MethodInput<'settings.setReminders'>) {
      settings.update({
        reminders: { enabled, days: [...new Set(days)].sort((a, b) => b - a) },
        keyReminders: { days: [...new Set(keyDays)].sort((a, b) => a - b) },
      })
      return getReminders()
    },
    update(patch: MethodInput<'settings.update'>): SettingsView {
      const definedValues = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      // Marks the news of this version as seen, because nothing is new in the first installed version.
      settings.update((current) => ({ newsSeen: current.newsSeen ?? version, ...definedValues }))
      if (patch.theme) applyTheme(patch.theme)
      if (patch.zoomPercent !== undefined) applyZoom(patch.zoomPercent)
      return getSettingsView()
    },
  }
}

/** Data for the first paint, before the settings are loaded. */
export interface WindowStart extends FirstScreenData {
  readonly place?: {
    readonly x?: number
    readonly y?: number
    readonly width: number
    readonly height: number
    readonly maximized: boolean
  }
}

/** Reads the settings that the first paint needs, with defaults. Never fails. */
export function readWindowStart(dataDir: string, systemLanguages: readonly string[]): WindowStart {
  const settings = record(readJson(join(dataDir, 'settings.json')))
  const language = parseChoiceOrSystem(['en', 'vi'] as const, settings.language)
  const view: SettingsView = {
    theme: parseChoiceOrSystem(['light', 'dark'] as const, settings.theme),
    language,
    locale: resolveLocale(language, systemLanguages),
    railCollapsed: settings.railCollapsed === true,
    zoomPercent: zoomSteps.find((zoomStep) => zoomStep === settings.zoomPercent) ?? defaultZoom,
    welcomed: settings.welcomed === true || (Array.isArray(settings.plans) && settings.plans.length > 0),
    ...(settings.shortcuts === undefined ? {} : { shortcuts: readShortcuts(settings.shortcuts) }),
    ...(typeof settings.newsSeen === 'string' ? { newsSeen: settings.newsSeen.slice(0, 60) } : {}),
  }
  const { x, y, width, height, maximized } = record(readJson(join(dataDir, 'window.json')))
  const page = { view, plans: listLength(settings.plans), connections: listLength(settings.connections) }
  if (!isLength(width) || !isLength(height)) return page
  const windowPosition = isPosition(x) && isPosition(y) ? { x, y } : {}
  return { ...page, place: { ...windowPosition, width, height, maximized: maximized === true } }
}

const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 0)
const isPosition = (value: unknown): value is number => Number.isInteger(value)
const isLength = (value: unknown): value is number => isPosition(value) && value >= 100 && value <= 20_000

const parseChoiceOrSystem = <T extends string>(choices: readonly T[], value: unknown): T | 'system' =>
  choices.find((choice) => choice === value) ?? 'system'

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(decodeSettings(readRegularFile(path)))
  } catch {
    return undefined
  }
}

/** Editors and PowerShell on Windows add a byte order mark or write UTF-16. */
export const decodeSettings = (bytes: Buffer): string =>
  bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '')

/** The chosen language, or the first supported one of the system. */
export function resolveLocale(language: 'system' | 'en' | 'vi', systemLanguages: readonly string[]): 'en' | 'vi' {
  if (language !== 'system') return language
  const systemLocale = systemLanguages
    .map((tag) => tag.slice(0, 2).toLowerCase())
    .find((tag) => tag === 'en' || tag === 'vi')
  return systemLocale === 'vi' ? 'vi' : 'en'
}
