import { z } from 'zod'
import { Nothing } from './common'
import { method } from './define'

export const Theme = z.enum(['system', 'light', 'dark'])
export const Language = z.enum(['system', 'en', 'vi'])

/** What a person chose for the window. `locale` is the language in force (the system's, when `language` is `system`). */
export const SettingsView = z.strictObject({
  theme: Theme,
  language: Language,
  locale: z.enum(['en', 'vi']),
  railCollapsed: z.boolean(),
  /** True once the first screen was answered or skipped. */
  welcomed: z.boolean(),
})
export type SettingsView = z.infer<typeof SettingsView>

export const settings = {
  'settings.get': method(Nothing, SettingsView),
  'settings.update': method(SettingsView.omit({ locale: true }).partial(), SettingsView),
}
