import { basename } from 'node:path'
import type { PlanView, ProfileView, RelayView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import type { MenuItemConstructorOptions } from 'electron'
import { type Locale, translator } from '../core/i18n'
import type { Notice } from '../core/notices'
import { findKeyProblem } from '../plans/plan-directory'
import type { WrittenSetup } from '../tools/setups/setup-views'
import { toSetupId } from '../tools/target'
import { formatModelRemaining, formatTightestPlan } from '../usage/quota/quota'

export interface ModelSwitch {
  readonly setup: WrittenSetup
  readonly plan: Pick<PlanView, 'id' | 'name' | 'models' | 'keys'>
  readonly modelCode: string
}

export interface TrayState {
  readonly locale: Locale
  readonly profiles: readonly Pick<ProfileView, 'id' | 'name' | 'isActive'>[]
  readonly setups: readonly WrittenSetup[]
  readonly plans: readonly Pick<
    PlanView,
    'id' | 'name' | 'models' | 'keys' | 'defaultKeyId' | 'expiresAt' | 'aheadMs'
  >[]
  /** Tightest first. */
  readonly quotas: readonly PlanQuota[]
  /** Profile id or model that is being switched to. */
  readonly switchingTo?: string | ModelSwitch | undefined
  /** State of the relay. Undefined when the relay is off. */
  readonly relay?: Pick<RelayView, 'state'> | undefined
}

export interface TrayActions {
  readonly open: (path?: string) => void
  readonly use: (profileId: string) => void
  readonly switchModel: (modelSwitch: ModelSwitch) => void
  readonly pauseRelay: (paused: boolean) => void
  readonly quit: () => void
}

type Item = MenuItemConstructorOptions

const separator: Item = { type: 'separator' }

/** Escapes `&`, which marks access keys in menus. */
const escapeAmpersand = (name: string): string => name.replaceAll('&', '&&')

const createItem = (label: string, click: () => void): Item => ({ label: escapeAmpersand(label), click })

const heading = (label: string): Item => ({ label: escapeAmpersand(label), enabled: false })

/** The tray menu. The current choice is checked. All choices are disabled during a switch. */
export function trayTemplate(state: TrayState, acts: TrayActions): Item[] {
  const { locale, setups } = state
  const t = translator(locale)
  return [
    createItem(t('tray.open'), () => acts.open()),
    ...problemItems(state, acts),
    ...quotaItems(state, acts),
    ...(setups.length === 0
      ? []
      : [separator, heading(t('tray.tools')), ...setups.map((setup) => createToolItem(setup, state, acts))]),
    separator,
    ...profileItems(state, acts),
    ...createRelayItems(state, acts),
    separator,
    createItem(t('tray.quit'), acts.quit),
  ]
}

/** Menu items for tools with a failing key. Each opens the page to fix it. */
function problemItems({ locale, setups, plans }: TrayState, acts: TrayActions): Item[] {
  const items = setups.flatMap((setup) => {
    const { choice, status } = setup
    const plan = plans.find(({ id }) => id === choice.planId)
    const problem = status === 'configured' && plan && findKeyProblem(plan, choice.keyId, new Date())
    if (!problem) return []
    const text = translator(locale)(`tray.problems.${problem}`, { tool: toolLabel(setup) })
    return [createItem(`⚠ ${text}`, () => acts.open(toolPath(setup, 'configure')))]
  })
  return items.length === 0 ? [] : [separator, ...items]
}

/** Maximum number of plans, and of models per tool. The window lists the rest. */
const limits = { plans: 8, models: 10 }

/** The lowest remaining quota, followed by the quota of each plan if there are several plans. */
function quotaItems({ locale, quotas }: TrayState, acts: TrayActions): Item[] {
  const t = translator(locale)
  const show = (): void => acts.open('/usage/left')
  const tightestQuota = formatTightestPlan(quotas, locale)
  if (tightestQuota === undefined) return []
  const lines = quotas.slice(0, limits.plans).flatMap((plan) => formatTightestPlan([plan], locale) ?? [])
  const allLines = quotas.length > limits.plans ? [...lines, t('tray.more')] : lines
  const submenu = allLines.map((line) => createItem(line, show))
  return [createItem(tightestQuota, show), ...(lines.length < 2 ? [] : [{ label: t('tray.quota'), submenu }])]
}

/** A tool with its current model, and all available plans and models. */
function createToolItem(setup: WrittenSetup, state: TrayState, acts: TrayActions): Item {
  const t = translator(state.locale)
  const { status, choice } = setup
  const label = escapeAmpersand(`${toolLabel(setup)} · ${choice.modelCode}`)
  if (status !== 'configured')
    return { label, submenu: [createItem(t('tray.review'), () => acts.open(toolPath(setup)))] }
  const usablePlans = state.plans.filter(({ id, defaultKeyId }) => id === choice.planId || defaultKeyId !== undefined)
  const isPlanExpired = (id: string): boolean => state.quotas.some((plan) => plan.planId === id && plan.isExpired)
  const plans = usablePlans
    .filter(({ id }) => id === choice.planId || !isPlanExpired(id))
    .toSorted((a, b) => Number(b.id === choice.planId) - Number(a.id === choice.planId))
  const shownPlans = plans.slice(0, limits.plans)
  const isComplete = shownPlans.every(({ models }) => models.length <= limits.models)
  const showsAllPlans = isComplete && shownPlans.length === plans.length && plans.length > 0
  const moreItem = createItem(t('tray.more'), () => acts.open(toolPath(setup, 'configure')))
  const planItems = shownPlans.map((plan) => {
    const models = plan.models.slice(0, limits.models)
    // List the current model even if the plan lacks it.
    if (plan.id === choice.planId && !models.includes(choice.modelCode)) models.unshift(choice.modelCode)
    const items = models.map((modelCode) => modelItem({ setup, plan, modelCode }, state, acts))
    return [heading(plan.name), ...items]
  })
  return {
    label,
    submenu: [
      ...planItems.flatMap((items, index) => (index > 0 ? [separator, ...items] : items)),
      ...(showsAllPlans ? [] : [separator, moreItem]),
    ],
  }
}

function modelItem(modelSwitch: ModelSwitch, { locale, quotas, switchingTo }: TrayState, acts: TrayActions): Item {
  const { setup, plan, modelCode } = modelSwitch
  const isTarget = (otherSwitch: ModelSwitch): boolean =>
    otherSwitch.plan.id === plan.id && otherSwitch.modelCode === modelCode
  const isOurs = typeof switchingTo === 'object' && getSetupId(switchingTo.setup) === getSetupId(setup)
  const planQuota = quotas.find(({ planId }) => planId === plan.id)
  const remainingText = formatModelRemaining(planQuota, modelCode, locale)
  return {
    // Use check boxes, because the system selects the first radio item of a group without a selection.
    type: 'checkbox',
    id: [getSetupId(setup), plan.id, modelCode].join(' '),
    label: escapeAmpersand(remainingText === undefined ? modelCode : `${modelCode} · ${remainingText}`),
    checked: isOurs ? isTarget(switchingTo) : isInUse(modelSwitch),
    click: () => {
      if (switchingTo === undefined) acts.switchModel(modelSwitch)
    },
  }
}

const isInUse = ({ setup: { choice }, plan, modelCode }: ModelSwitch): boolean =>
  choice.planId === plan.id && choice.modelCode === modelCode

const getSetupId = ({ toolId, site }: WrittenSetup): string => toSetupId(toolId, site)

function toolLabel({ toolName, site }: WrittenSetup): string {
  if (site.kind === 'user') return toolName
  return `${toolName} (${site.kind === 'project' ? basename(site.folder) : site.distribution})`
}

function profileItems({ locale, profiles, switchingTo }: TrayState, acts: TrayActions): Item[] {
  const t = translator(locale)
  const title = t('tray.profiles')
  if (profiles.length === 0) return [heading(title), createItem(t('tray.createProfile'), () => acts.open('/profiles'))]
  return [
    heading(title),
    ...profiles.map(({ id, name, isActive }): Item => {
      const isChecked = typeof switchingTo === 'string' ? id === switchingTo : isActive
      const click = (): void => {
        if (switchingTo === undefined) acts.use(id)
      }
      return { type: 'checkbox', id, label: escapeAmpersand(name), checked: isChecked, click }
    }),
  ]
}

function createRelayItems({ locale, relay }: TrayState, acts: TrayActions): Item[] {
  if (!relay) return []
  const { state } = relay
  const t = translator(locale)
  const items = [separator, createItem(t(`tray.relay.${state}`), () => acts.open('/relay'))]
  if (state === 'on') items.push(createItem(t('tray.pause'), () => acts.pauseRelay(true)))
  if (state === 'paused') items.push(createItem(t('tray.resume'), () => acts.pauseRelay(false)))
  return items
}

export function trayTitle({ profiles }: Pick<TrayState, 'profiles'>): string {
  const activeProfile = profiles.find(({ isActive }) => isActive)
  return activeProfile ? `Platform Companion · ${activeProfile.name}` : 'Platform Companion'
}

/** Window path that explains a failed profile switch or asks for consent. */
export function switchPath(profileId: string, failureCode?: string): string {
  const path = `/profiles/${encodeURIComponent(profileId)}/switch`
  return failureCode === undefined ? path : `${path}?failed=${encodeURIComponent(failureCode)}`
}

/** Window path of a tool, or of a model switch with its preview and obstacles. */
function toolPath(
  { toolId, site }: WrittenSetup,
  todo?: 'configure',
  modelSwitch?: Pick<ModelSwitch, 'plan' | 'modelCode'>,
) {
  const query = new URLSearchParams({
    ...(site.kind === 'project' && { at: `project:${site.folder}` }),
    ...(site.kind === 'wsl' && { at: `wsl:${site.distribution}` }),
    ...(todo && { do: todo }),
    ...(modelSwitch && { plan: modelSwitch.plan.id, model: modelSwitch.modelCode }),
  }).toString()
  return `/tools/${encodeURIComponent(toolId)}${query === '' ? '' : `?${query}`}`
}

/** Window path that asks for consent before a model switch. */
export const modelSwitchPath = ({ setup, ...wanted }: ModelSwitch): string => toolPath(setup, 'configure', wanted)

/** Notification after a model switch. Undefined if the menu's check mark is enough. */
export function modelSwitchNotice(
  modelSwitch: ModelSwitch,
  outcome: 'switched' | 'failed',
  locale: Locale,
): Notice | undefined {
  const t = translator(locale)
  const { setup, modelCode } = modelSwitch
  const values = { tool: toolLabel(setup), name: setup.toolName, model: modelCode }
  if (outcome === 'failed')
    return { title: t('tray.failed.title', values), body: t('tray.failed.body'), path: modelSwitchPath(modelSwitch) }
  if (!setup.needsRestart || isInUse(modelSwitch)) return undefined
  return { title: t('tray.restart.title', values), body: t('tray.restart.body', values), path: toolPath(setup) }
}
