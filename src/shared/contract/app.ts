import { z } from 'zod'
import { Failure } from '../failure'
import { defaultShortcuts, type ShortcutId, shortcutPattern } from '../shortcuts'
import { EmptyResult, method } from './common'

/** Key storage: the OS keychain, or memory until the app quits. */
export const VaultView = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('keychain') }),
  z.strictObject({ kind: z.literal('session'), reason: z.string(), install: z.string() }),
])
export type VaultView = z.infer<typeof VaultView>

export const AppView = z.strictObject({
  version: z.string(),
  platform: z.enum(['linux', 'darwin', 'win32', 'other']),
  dataDir: z.string(),
  vault: VaultView,
})
export type AppView = z.infer<typeof AppView>

/** Versions for the About section. `licences` is the path of the license texts, set only in the installed app. */
const AboutView = z.strictObject({
  electron: z.string(),
  chromium: z.string(),
  node: z.string(),
  /** Whether the app runs on another Electron version than the one it was released with. */
  isStandIn: z.boolean(),
  licences: z.string().optional(),
})

export const Theme = z.enum(['system', 'light', 'dark'])
export const Language = z.enum(['system', 'en', 'vi'])

const shortcutIds = Object.keys(defaultShortcuts) as ShortcutId[]
export const ChosenShortcuts = z.partialRecord(z.enum(shortcutIds), z.string().regex(shortcutPattern))

/** `locale` is the effective language (the system's, when `language` is `system`). */
export const SettingsView = z.strictObject({
  theme: Theme,
  language: Language,
  locale: z.enum(['en', 'vi']),
  railCollapsed: z.boolean(),
  zoomPercent: z.number().int().min(50).max(200),
  /** Whether the first screen was completed or skipped. */
  welcomed: z.boolean(),
  /** Shortcuts that the user changed. */
  shortcuts: ChosenShortcuts.optional(),
  /** App version whose release notes the user saw last, or the first installed version. */
  newsSeen: z.string().max(60).optional(),
})
export type SettingsView = z.infer<typeof SettingsView>

const ReminderDays = z.array(z.number().int().min(1).max(365)).max(10)

/** Notifications about plans, with the days before their expiry, and about old keys. */
const RemindersView = z.strictObject({
  enabled: z.boolean(),
  days: ReminderDays,
  /** Key ages in days at which to remind of a rotation. An empty list disables these reminders. */
  keyDays: ReminderDays,
})

export const UpdateChannel = z.enum(['stable', 'beta'])
export type UpdateChannel = z.infer<typeof UpdateChannel>

export const ReleaseView = z.strictObject({
  version: z.string(),
  releasedAt: z.string(),
  notes: z.strictObject({ en: z.string(), vi: z.string().optional() }),
  page: z.string().optional(),
})
export type ReleaseView = z.infer<typeof ReleaseView>

export const UpdatesView = z.strictObject({
  version: z.string(),
  channel: UpdateChannel,
  /** Whether updates are checked for and downloaded automatically. */
  isAutomatic: z.boolean(),
  /** Installer of updates: the app itself, or the system's package manager. */
  by: z.enum(['app', 'system']),
  checkedAt: z.string().optional(),
  /** Whether another version was installed while this one runs. */
  isReplaced: z.boolean().optional(),
  state: z.discriminatedUnion('kind', [
    /** Updates are off. `build`: this build has no update source. `policy`: an administrator disabled them. */
    z.strictObject({ kind: z.literal('off'), reason: z.enum(['build', 'policy']) }),
    z.strictObject({ kind: z.literal('idle') }),
    z.strictObject({ kind: z.literal('checking') }),
    z.strictObject({ kind: z.literal('available'), release: ReleaseView }),
    z.strictObject({
      kind: z.literal('downloading'),
      release: ReleaseView,
      doneBytes: z.number().nonnegative(),
      totalBytes: z.number().nonnegative(),
    }),
    z.strictObject({ kind: z.literal('ready'), release: ReleaseView, isAtQuit: z.boolean() }),
    z.strictObject({ kind: z.literal('failed'), failure: Failure, release: ReleaseView.optional() }),
  ]),
})
export type UpdatesView = z.infer<typeof UpdatesView>

export const app = {
  'app.get': method(AppView),
  'app.about': method(AboutView),
  /** Checks again for a keychain and moves session keys into it. */
  'app.recheckVault': method(AppView),
  /** Copies a text to the clipboard. Not for secrets. */
  'app.copyText': method(EmptyResult, { text: z.string().max(2_000_000) }),
  /** Opens an external URL (http, https or mailto). The window must ask for confirmation first. */
  'app.openLink': method(EmptyResult, { url: z.string().max(4000) }),

  'settings.get': method(SettingsView),
  'settings.update': method(SettingsView, SettingsView.omit({ locale: true }).partial()),
  'settings.getReminders': method(RemindersView),
  'settings.setReminders': method(RemindersView, RemindersView),

  'updates.get': method(UpdatesView),
  'updates.change': method(UpdatesView, { isAutomatic: z.boolean().optional(), channel: UpdateChannel.optional() }),
  /** Resolves when the check ends. `updates.changed` reports the progress. */
  'updates.check': method(UpdatesView),
  'updates.download': method(UpdatesView),
  'updates.cancel': method(UpdatesView),
  /** Quits and starts the new version, or installs it on quit. */
  'updates.install': method(UpdatesView, { when: z.enum(['now', 'atQuit']) }),
}
