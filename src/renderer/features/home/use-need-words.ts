import type { ToolView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatList, useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { toServerTime } from '../../relative-time'
import { formatPlanEnd } from '../connections/account'
import { findFailure, listFailedTools } from '../keys/rotation'
import { getToolStatus } from '../tools'
import type { AttentionItem, PlanEnd } from './attention-items'

export interface NeedTexts {
  readonly title: string
  readonly text: string
  readonly action: string
}

type AttentionItemOfKind<K extends AttentionItem['kind']> = Extract<AttentionItem, { readonly kind: K }>

interface NeedContext {
  readonly t: TFunction<'home', 'needs'>
  readonly explain: ReturnType<typeof useFailureTexts>
  readonly money: (dong: number) => string
  /** Formats the end of a plan relative to now. */
  readonly when: (end: PlanEnd, isOver?: boolean) => string
  /** Joins names to a readable list, such as "a, b and c". */
  readonly list: (names: readonly string[]) => string
  /** Joins the names of tools, given by their ids, to a readable list. */
  readonly named: (toolIds: readonly string[]) => string
}

function describeUnreadableTool(
  { tool, problem }: AttentionItemOfKind<'toolUnreadable'>,
  { t, explain }: NeedContext,
): NeedTexts {
  const action = t('toolUnreadable.action')
  if (!problem) return { title: t('toolUnreadable.title', { tool: tool.name }), text: t('toolUnreadable.text'), action }
  const texts = explain(problem, { tool: tool.name, file: getToolStatus(tool).file })
  return { title: t('toolUnreadable.titled', { tool: tool.name, title: texts.title }), text: texts.explanation, action }
}

function describeFailingPlan(
  { plan, check }: AttentionItemOfKind<'planFailing'>,
  { t, explain }: NeedContext,
): NeedTexts {
  const { modelCode, requestAddress, status } = check
  const texts = explain(check.failure, { plan: plan.name, modelCode, requestAddress, status })
  const title = t('planFailing.title', { plan: plan.name, title: texts.title })
  return { title, text: texts.remedy, action: t('planFailing.action') }
}

function describeFailingTool(
  { tool, check }: AttentionItemOfKind<'toolFailing'>,
  { t, explain }: NeedContext,
): NeedTexts {
  const { modelCode, requestAddress, status } = check
  const texts = explain(check.failure, {
    tool: tool.name,
    plan: tool.applied?.planName,
    modelCode,
    requestAddress,
    status,
  })
  const title = t('toolFailing.title', { tool: tool.name, title: texts.title })
  return { title, text: texts.remedy, action: t('toolFailing.action') }
}

const describeStoppedSandbox = (
  { plan, failure }: AttentionItemOfKind<'sandboxStopped'>,
  { t, named }: NeedContext,
): NeedTexts => ({
  title: failure ? t('sandboxStopped.failed') : t('sandboxStopped.title'),
  text: plan.usedBy.length === 0 ? t('sandboxStopped.unused') : t('sandboxStopped.text', { tools: named(plan.usedBy) }),
  action: t('sandboxStopped.action'),
})

function getKeyMissingTexts({ plan }: AttentionItemOfKind<'keyMissing'>, { t }: NeedContext): NeedTexts {
  const text = plan.origin ? t('keyMissing.textAccount') : t('keyMissing.text')
  return { title: t('keyMissing.title', { plan: plan.name }), text, action: t('keyMissing.action') }
}

type PlanEndKind = 'planExpired' | 'planExpiring' | 'renewalFailing' | 'endsSoon' | 'creditsShort'

function describePlanEnd(need: AttentionItemOfKind<PlanEndKind>, { t, when, money }: NeedContext): NeedTexts {
  const missingText = need.kind === 'creditsShort' ? money(need.missing) : ''
  const names = { plan: need.plan.name, when: when(need, need.kind === 'planExpired'), missing: missingText }
  return {
    title: t(`${need.kind}.title`, names),
    text: t(`${need.kind}.text`, names),
    action: t(`${need.kind}.action`),
  }
}

function describeShortage(
  { kind, plan, model, allowance, usableModels }: AttentionItemOfKind<'exhausted' | 'nearlyExhausted'>,
  { t, list }: NeedContext,
): NeedTexts {
  const names = { plan: plan.name, model, allowance: t(`allowances.${allowance}`) }
  const text =
    kind === 'nearlyExhausted'
      ? t('nearlyExhausted.text')
      : usableModels.length === 0
        ? t('exhausted.none')
        : t('exhausted.text', { count: usableModels.length, models: list(usableModels) })
  return { title: t(`${kind}.title`, names), text, action: t(`${kind}.action`) }
}

function describeConsoleFailure(
  { connection, failure }: AttentionItemOfKind<'consoleFailing'>,
  { t, explain }: NeedContext,
): NeedTexts {
  const texts = explain(failure, { requestAddress: connection.addresses.consoleUrl })
  const title = t('consoleFailing.title', { connection: connection.name, title: texts.title })
  return { title, text: texts.remedy, action: t('consoleFailing.action') }
}

function describeStuckRotation(
  { rotation }: AttentionItemOfKind<'rotationStuck'>,
  { t, explain, list }: NeedContext,
): NeedTexts {
  const failedToolNames = listFailedTools(rotation).map(({ toolName }) => toolName)
  const failure = findFailure(rotation)
  const failureTitle = failure && explain(failure, { plan: rotation.planName }).title
  return {
    title: t('rotationStuck.title', { key: rotation.oldKeyName }),
    text:
      failedToolNames.length > 0
        ? t('rotationStuck.tools', { tools: list(failedToolNames) })
        : rotation.state === 'failed' && failureTitle
          ? t('rotationStuck.failed', { title: failureTitle })
          : t('rotationStuck.stopped'),
    action: t('rotationStuck.action'),
  }
}

const describeWaitingRotation = (
  { rotation }: AttentionItemOfKind<'rotationWaiting'>,
  { t, list }: NeedContext,
): NeedTexts => {
  const openHandovers = (rotation.handover ?? []).filter(({ state }) => state !== 'confirmed')
  return {
    title: t('rotationWaiting.title', { key: rotation.oldKeyName }),
    text: t('rotationWaiting.text', { holders: list(openHandovers.map(({ holder }) => holder.name)) }),
    action: t('rotationWaiting.action'),
  }
}

const getKeyStoppedTexts = (
  { tool, setup, problem }: AttentionItemOfKind<'keyStopped'>,
  { t }: NeedContext,
): NeedTexts => ({
  title: t(`keyStopped.titles.${problem}`, { tool: tool.name }),
  text: t('keyStopped.text', { key: setup.applied?.keyName ?? '', plan: setup.applied?.planName ?? '' }),
  action: t('keyStopped.action'),
})

const keySwitch = (
  { keyName: key, planName: plan, personName: who, failure }: AttentionItemOfKind<'keySwitch'>,
  { t }: NeedContext,
): NeedTexts => ({
  title: t('keySwitch.title', { key, plan, who }),
  text: failure?.message ?? '',
  action: t('keySwitch.action'),
})

const getKeyImportedTexts = ({ imported }: AttentionItemOfKind<'keyImported'>, { t, list }: NeedContext): NeedTexts => {
  const { planName: plan, keyName: key, tools, from, code } = imported
  const names = [...new Set(tools.map(({ toolName }) => toolName))]
  return {
    title: t('keyImported.title', { key, plan }),
    text: code === undefined ? t('keyImported.switch', { tools: list(names) }) : t('keyImported.code', { from }),
    action: t('keyImported.action'),
  }
}

const describeGroupedNeeds = ({ what, count, names }: AttentionItemOfKind<'many'>, { t }: NeedContext): NeedTexts => ({
  title: t(`many.${what}`, { count }),
  text: t('many.text', { names: names.join(', '), more: count - names.length }),
  action: t('many.action'),
})

const describeDriftedTool = ({ tool }: AttentionItemOfKind<'toolDrifted'>, { t }: NeedContext): NeedTexts => ({
  title: t('toolDrifted.title', { tool: tool.name }),
  text: t('toolDrifted.text', { settings: getToolStatus(tool).drift.join(', ') }),
  action: t('toolDrifted.action'),
})

const describeOverriddenTool = ({ tool }: AttentionItemOfKind<'toolOverridden'>, { t }: NeedContext): NeedTexts => ({
  title: t('toolOverridden.title', { tool: tool.name }),
  text: t('toolOverridden.text', {
    settings: (getToolStatus(tool).conflicts ?? []).map(({ subject, path }) => subject ?? path).join(', '),
  }),
  action: t('toolOverridden.action'),
})

const withoutRelay = ({ tools }: AttentionItemOfKind<'relayOff'>, { t, list }: NeedContext): NeedTexts => ({
  title: t('relayOff.title'),
  text: t('relayOff.text', { tools: list(tools.map(({ name }) => name)) }),
  action: t('relayOff.action'),
})

const noKeychain = ({ t }: NeedContext): NeedTexts => ({
  title: t('noKeychain.title'),
  text: t('noKeychain.text'),
  action: t('noKeychain.action'),
})

type TextsByKind = {
  readonly [K in AttentionItem['kind']]: (need: AttentionItemOfKind<K>, speech: NeedContext) => NeedTexts
}

const textsByKind: TextsByKind = {
  toolUnreadable: describeUnreadableTool,
  keyMissing: getKeyMissingTexts,
  planExpired: describePlanEnd,
  renewalFailing: describePlanEnd,
  exhausted: describeShortage,
  planFailing: describeFailingPlan,
  toolFailing: describeFailingTool,
  rotationStuck: describeStuckRotation,
  rotationWaiting: describeWaitingRotation,
  keySwitch,
  keyStopped: getKeyStoppedTexts,
  keyImported: getKeyImportedTexts,
  relayOff: withoutRelay,
  toolDrifted: describeDriftedTool,
  toolOverridden: describeOverriddenTool,
  sandboxStopped: describeStoppedSandbox,
  consoleFailing: describeConsoleFailure,
  planExpiring: describePlanEnd,
  endsSoon: describePlanEnd,
  creditsShort: describePlanEnd,
  nearlyExhausted: describeShortage,
  noKeychain: (_, speech) => noKeychain(speech),
  many: describeGroupedNeeds,
}

function describeNeed<K extends AttentionItem['kind']>(
  need: AttentionItemOfKind<K> & { readonly kind: K },
  speech: NeedContext,
): NeedTexts {
  return textsByKind[need.kind](need, speech)
}

export function useAttentionTexts(tools: readonly ToolView[], currentTime: Date): (need: AttentionItem) => NeedTexts {
  const { t } = useTranslation('home', { keyPrefix: 'needs' })
  const formats = useFormats()
  const { locale, money } = formats
  const getFailureTexts = useFailureTexts()
  const formatEnd = (end: PlanEnd, isExpired = false): string =>
    formatPlanEnd({ expiresAt: end.expiresAt, isExpired }, formats, toServerTime(currentTime, end)).short
  const list = (names: readonly string[]): string => formatList(names, locale)
  const formatToolNames = (ids: readonly string[]): string =>
    list(ids.map((id) => tools.find((tool) => tool.id === id)?.name ?? id))
  return (need) =>
    describeNeed(need, { t, explain: getFailureTexts, money, when: formatEnd, named: formatToolNames, list })
}
