import { join } from 'node:path'
import type { BulkPreview } from '@shared/contract'
import { app, Menu, nativeImage, Tray } from 'electron'
import type { Log } from '../core/ports'
import { type SwitchResult, switchImmediately, switchModel } from '../tools/profiles/profiles'
import { toSetupId } from '../tools/target'
import type { AppCore } from './compose-app'
import { findLocale, showNotice } from './desktop-services'
import {
  type ModelSwitch,
  modelSwitchNotice,
  modelSwitchPath,
  switchPath,
  type TrayActions,
  type TrayState,
  trayTemplate,
  trayTitle,
} from './tray-menu'

interface TrayOptions {
  readonly outDir: string
  /** Shows the window, optionally at the page with this path. */
  readonly open: (path?: string) => void
}

/** Icon height in px. */
const heights: Partial<Record<NodeJS.Platform, number>> = { darwin: 18, win32: 16 }
const otherHeight = 22

/** Debounce of menu updates in ms. */
const settleDelayMs = 250

/** The tray icon and its menu, shown after the first refresh. Logs an error on systems without a tray. */
export function createAppTray(core: AppCore, { outDir, open }: TrayOptions) {
  const { log, relay, tools, plans, profiles, quota, settings } = core
  /** The tray icon. 'none' on systems without a tray. */
  let tray: Tray | 'none' | undefined
  let loadedState: Pick<TrayState, 'profiles' | 'setups'> = { profiles: [], setups: [] }
  let pendingSwitch: TrayState['switchingTo']
  let timer: NodeJS.Timeout | undefined
  let lastMenuJson: string | undefined
  const show = (): void => {
    if (!tray || tray === 'none' || tray.isDestroyed()) return
    const state = {
      ...loadedState,
      locale: findLocale(core),
      plans: plans.list(),
      quotas: quota.lastListed(),
      switchingTo: pendingSwitch,
      relay: settings.read().relay.wanted ? relay.state() : undefined,
    }
    const template = trayTemplate(state, trayActions)
    const text = JSON.stringify(template)
    // Keep an unchanged menu, because replacing it would close an open menu.
    if (text === lastMenuJson) return
    lastMenuJson = text
    tray.setContextMenu(Menu.buildFromTemplate(template))
    tray.setToolTip(trayTitle(loadedState))
  }
  const refreshMenu = async (): Promise<void> => {
    try {
      const [profileViews, setups] = await Promise.all([profiles.list(), tools.setups()])
      loadedState = { profiles: profileViews, setups }
    } catch (error) {
      log.error('tray.read', error)
    }
    show()
  }
  const runSwitch = async (
    target: string | ModelSwitch,
    preview: () => Promise<BulkPreview | undefined>,
  ): Promise<SwitchResult> => {
    pendingSwitch = target
    // Defer the action of a menu entry, because Electron may crash when a menu is replaced during its click handler.
    setImmediate(show)
    try {
      return await switchImmediately({ preview, applyMany: (previewId) => tools.carryOutMany(previewId) })
    } finally {
      pendingSwitch = undefined
      // Redraw the menu, because the click toggled the check mark even if the switch failed.
      lastMenuJson = undefined
      await refreshMenu()
    }
  }
  const switchToProfile = async (id: string): Promise<void> => {
    const switchResult = await runSwitch(id, () => profiles.previewUse(id))
    if (switchResult.outcome === 'asks') open(switchPath(id))
    if (switchResult.outcome === 'failed') open(switchPath(id, switchResult.code))
  }
  const switchToModel = async (modelSwitch: ModelSwitch): Promise<void> => {
    const { outcome } = await runSwitch(modelSwitch, () => previewModel(core, modelSwitch))
    if (outcome === 'asks') return open(modelSwitchPath(modelSwitch))
    const notice = modelSwitchNotice(modelSwitch, outcome, findLocale(core))
    if (notice) showNotice(core, open)(notice)
  }
  const trayActions: TrayActions = {
    open,
    quit: () => app.quit(),
    pauseRelay: (paused) => void relay.setPaused({ paused }).catch((error: unknown) => log.error('relay.pause', error)),
    use: (id) => void switchToProfile(id),
    switchModel: (modelSwitch) => void switchToModel(modelSwitch),
  }
  return {
    /** Updates the menu immediately without reloading. */
    show,
    /** Reloads profiles and tools, debounced. */
    refresh: (): void => {
      tray ??= makeTray({ outDir, open }, log) ?? 'none'
      if (tray === 'none') return
      clearTimeout(timer)
      timer = setTimeout(() => void refreshMenu(), settleDelayMs)
    },
    end: (): void => {
      clearTimeout(timer)
      if (tray !== 'none') tray?.destroy()
      tray = 'none'
    },
  }
}

/** Previews a model switch of a tool. Undefined if the tool's settings were changed outside this app. */
async function previewModel({ tools, plans }: AppCore, { setup, plan, modelCode }: ModelSwitch) {
  const id = toSetupId(setup.toolId, setup.site)
  const currentSetup = (await tools.setups()).find(({ toolId, site }) => toSetupId(toolId, site) === id)
  if (currentSetup?.status !== 'configured') return undefined
  return tools.previewMany([switchModel(currentSetup, plans.find(plan.id), modelCode)])
}

function makeTray({ outDir, open }: TrayOptions, log: Log): Tray | undefined {
  const { platform } = process
  try {
    const image = nativeImage.createFromPath(join(outDir, '../resources/icon.png'))
    const tray = new Tray(image.resize({ height: heights[platform] ?? otherHeight }))
    // On macOS a click opens the menu.
    if (platform !== 'darwin') tray.on('click', () => open())
    return tray
  } catch (error) {
    log.error('tray.unavailable', error)
    return undefined
  }
}
