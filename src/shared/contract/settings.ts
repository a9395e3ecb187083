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
  /** How large everything in the window is. */
  zoomPercent: z.number().int().min(50).max(200),
  /** True once the first screen was answered or skipped. */
  welcomed: z.boolean(),
})
export type SettingsView = z.infer<typeof SettingsView>

/** Whether, and how many days before a plan's expiry, the system notifies. */
export const RemindersView = z.strictObject({
  enabled: z.boolean(),
  days: z.array(z.number().int().min(1).max(365)).max(10),
})
export type RemindersView = z.infer<typeof RemindersView>

export const settings = {
  'settings.get': method(Nothing, SettingsView),
  'settings.update': method(SettingsView.omit({ locale: true }).partial(), SettingsView),
  'settings.getReminders': method(Nothing, RemindersView),
  'settings.setReminders': method(RemindersView, RemindersView),
}
