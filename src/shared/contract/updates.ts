import { z } from 'zod'
import { Failure } from '../failure'
import { Nothing } from './common'
import { method } from './define'

export const UpdateChannel = z.enum(['stable', 'beta'])
export type UpdateChannel = z.infer<typeof UpdateChannel>

/** A version that can be installed; `notes` in the window's language where there are such. */
export const ReleaseView = z.strictObject({
  version: z.string(),
  releasedAt: z.string(),
  notes: z.string(),
  /** Where a person finds its packages. */
  page: z.string().optional(),
})
export type ReleaseView = z.infer<typeof ReleaseView>

export const UpdatesView = z.strictObject({
  version: z.string(),
  channel: UpdateChannel,
  /** Looks for updates, and downloads them, by itself. */
  isAutomatic: z.boolean(),
  /** Who installs an update: the app, or the package manager of the system. */
  by: z.enum(['app', 'system']),
  checkedAt: z.string().optional(),
  state: z.discriminatedUnion('kind', [
    /** `build`: this build knows no place to look; `policy`: an administrator switched it off. */
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

export const updates = {
  'updates.get': method(Nothing, UpdatesView),
  'updates.change': method(
    z.strictObject({ isAutomatic: z.boolean().optional(), channel: UpdateChannel.optional() }),
    UpdatesView,
  ),
  /** Answers once it is known; what then happens by itself is told by `updates.changed`. */
  'updates.check': method(Nothing, UpdatesView),
  'updates.download': method(Nothing, UpdatesView),
  'updates.cancel': method(Nothing, UpdatesView),
  /** Quits the app and starts the new version, or installs it when the app is quit. */
  'updates.install': method(z.strictObject({ when: z.enum(['now', 'atQuit']) }), UpdatesView),
}
