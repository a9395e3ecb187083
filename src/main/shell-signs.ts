import { join } from 'node:path'
import { app } from 'electron'
import type { AppCore } from './app-core'
import { followQuotaLine } from './app-usage'
import { switchProfile } from './features/switch-profile'
import { startKeyReminders, startReminders } from './notifications'
import type { Log } from './ports'
import { localeFor } from './settings/locale'
import { type AppTray, createTray, type TrayPorts } from './tray'
import { startAlerts } from './usage-notifications'

/** The language of the window, for what is outside of it. */
export const localeOf = ({ settings }: AppCore): 'en' | 'vi' =>
  localeFor(settings.read().language, app.getPreferredSystemLanguages())

interface RemindingParts {
  readonly log: Log
  readonly open: (path?: string) => void
  readonly onAlert: () => void
  /** The tray's line of the tightest allowance is another one. */
  readonly show: () => void
}

/** Everything that looks again and again, and tells a person. */
export function startReminding(core: AppCore, { log, open, onAlert, show }: RemindingParts) {
  const { quota, ledger } = core
  const alerts = startAlerts(core, { quota, ledger, log, open, onAlert })
  const line = followQuotaLine({ quota, log }, () => localeOf(core), show)
  const all = [alerts, line, startReminders(core, { log, open }), startKeyReminders(core, open), core.usage]
  const stop = (): void => {
    for (const each of all) each.stop()
  }
  return { alerts, quotaLine: line.text, stop }
}

/** The app's sign in the tray, with the profiles, the relay and the tightest allowance. */
export function createAppTray(
  core: AppCore,
  { outDir, log, ...parts }: Pick<TrayPorts, 'log' | 'open' | 'quotaLine'> & { readonly outDir: string },
): AppTray {
  const { relay } = core
  const ports = {
    previewUse: (id: string) => core.profiles.previewUse(id),
    applyMany: (previewId: string) => core.tools.carryOutMany(previewId),
  }
  return createTray({
    ...{ ...parts, log },
    icon: join(outDir, '../resources/icon.png'),
    platform: process.platform,
    locale: () => localeOf(core),
    relay: () => (core.settings.read().relay.wanted ? relay.state() : undefined),
    pauseRelay: (paused) => void relay.setPaused({ paused }).catch((error: unknown) => log.error('relay.pause', error)),
    profiles: () => core.profiles.list(),
    switchTo: (id) => switchProfile(ports, id),
    quit: () => app.quit(),
  })
}
