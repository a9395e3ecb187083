import type { ToolView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatList, useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { toServerTime } from '../../relative-time'
import { formatPlanEnd } from '../connections/account'
import { findFailure, listFailedTools } from '../keys/rotation'
import { getToolStatus } from '../tools'
import type { AttentionItem, AttentionItemOfKind, PlanEnd } from './attention-items'

export interface NeedTexts {
  readonly title: string
  readonly text: string
  readonly action: string
}

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

type TitleAndText = Omit<NeedTexts, 'action'>

const describeCheck = (
  kind: 'planFailing' | 'toolFailing',
  { failure, modelCode, requestAddress, status }: AttentionItemOfKind<'planFailing'>['check'],
  names: { readonly plan: string | undefined; readonly tool?: string },
  { t, explain }: NeedContext,
): TitleAndText => {
  const { title, remedy } = explain(failure, { ...names, modelCode, requestAddress, status })
  return { title: t(`${kind}.title`, { ...names, title }), text: remedy }
}

type PlanEndKind = 'planExpired' | 'planExpiring' | 'renewalFailing' | 'endsSoon' | 'creditsShort'

function describePlanEnd(need: AttentionItemOfKind<PlanEndKind>, { t, when, money }: NeedContext): TitleAndText {
  const missingText = need.kind === 'creditsShort' ? money(need.missing) : ''
  const names = { plan: need.plan.name, when: when(need, need.kind === 'planExpired'), missing: missingText }
  return { title: t(`${need.kind}.title`, names), text: t(`${need.kind}.text`, names) }
}

const describeShortage = (
  { kind, plan, model, allowance, usableModels }: AttentionItemOfKind<'exhausted' | 'nearlyExhausted'>,
  { t, list }: NeedContext,
): TitleAndText => ({
  title: t(`${kind}.title`, { plan: plan.name, model, allowance: t(`allowances.${allowance}`) }),
  text:
    kind === 'nearlyExhausted'
      ? t('nearlyExhausted.text')
      : usableModels.length === 0
        ? t('exhausted.none')
        : t('exhausted.text', { count: usableModels.length, models: list(usableModels) }),
})

type TextsByKind = {
  readonly [K in AttentionItem['kind']]: (need: AttentionItemOfKind<K>, context: NeedContext) => TitleAndText
}

const textsByKind: TextsByKind = {
  toolUnreadable: ({ tool, problem }, { t, explain }) => {
    if (!problem) return { title: t('toolUnreadable.title', { tool: tool.name }), text: t('toolUnreadable.text') }
    const { title, explanation } = explain(problem, { tool: tool.name, file: getToolStatus(tool).file })
    return { title: t('toolUnreadable.titled', { tool: tool.name, title }), text: explanation }
  },
  keyMissing: ({ plan }, { t }) => ({
    title: t('keyMissing.title', { plan: plan.name }),
    text: plan.origin ? t('keyMissing.textAccount') : t('keyMissing.text'),
  }),
  planExpired: describePlanEnd,
  renewalFailing: describePlanEnd,
  exhausted: describeShortage,
  planFailing: ({ plan, check }, context) => describeCheck('planFailing', check, { plan: plan.name }, context),
  toolFailing: ({ tool, check }, context) =>
    describeCheck('toolFailing', check, { plan: tool.applied?.planName, tool: tool.name }, context),
  rotationStuck: ({ rotation }, { t, explain, list }) => {
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
    }
  },
  rotationWaiting: ({ rotation }, { t, list }) => {
    const openHandovers = (rotation.handover ?? []).filter(({ state }) => state !== 'confirmed')
    return {
      title: t('rotationWaiting.title', { key: rotation.oldKeyName }),
      text: t('rotationWaiting.text', { holders: list(openHandovers.map(({ holder }) => holder.name)) }),
    }
  },
  keySwitch: ({ rotation: { keyName: key, planName: plan, personName: who }, failure }, { t }) => ({
    title: t('keySwitch.title', { key, plan, who }),
    text: failure.message,
  }),
  keyStopped: ({ tool, setup, problem }, { t }) => ({
    title: t(`keyStopped.titles.${problem}`, { tool: tool.name }),
    text: t('keyStopped.text', { key: setup.applied?.keyName ?? '', plan: setup.applied?.planName ?? '' }),
  }),
  keyImported: ({ imported: { planName: plan, keyName: key, tools, from, code } }, { t, list }) => {
    const names = [...new Set(tools.map(({ toolName }) => toolName))]
    return {
      title: t('keyImported.title', { key, plan }),
      text: code === undefined ? t('keyImported.switch', { tools: list(names) }) : t('keyImported.code', { from }),
    }
  },
  relayOff: ({ tools }, { t, list }) => ({
    title: t('relayOff.title'),
    text: t('relayOff.text', { tools: list(tools.map(({ name }) => name)) }),
  }),
  toolDrifted: ({ tool }, { t }) => ({
    title: t('toolDrifted.title', { tool: tool.name }),
    text: t('toolDrifted.text', { settings: getToolStatus(tool).drift.join(', ') }),
  }),
  toolOverridden: ({ tool }, { t }) => ({
    title: t('toolOverridden.title', { tool: tool.name }),
    text: t('toolOverridden.text', {
      settings: (getToolStatus(tool).conflicts ?? []).map(({ subject, path }) => subject ?? path).join(', '),
    }),
  }),
  sandboxStopped: ({ plan, failure }, { t, named }) => ({
    title: failure ? t('sandboxStopped.failed') : t('sandboxStopped.title'),
    text:
      plan.usedBy.length === 0 ? t('sandboxStopped.unused') : t('sandboxStopped.text', { tools: named(plan.usedBy) }),
  }),
  consoleFailing: ({ connection, failure }, { t, explain }) => {
    const { title, remedy } = explain(failure, { requestAddress: connection.addresses.consoleUrl })
    return { title: t('consoleFailing.title', { connection: connection.name, title }), text: remedy }
  },
  planExpiring: describePlanEnd,
  endsSoon: describePlanEnd,
  creditsShort: describePlanEnd,
  nearlyExhausted: describeShortage,
  noKeychain: (_, { t }) => ({ title: t('noKeychain.title'), text: t('noKeychain.text') }),
  many: ({ what, count, names }, { t }) => ({
    title: t(`many.${what}`, { count }),
    text: t('many.text', { names: names.join(', '), more: count - names.length }),
  }),
}

function describeNeed<K extends AttentionItem['kind']>(
  need: AttentionItemOfKind<K> & { readonly kind: K },
  context: NeedContext,
): NeedTexts {
  return { ...textsByKind[need.kind](need, context), action: context.t(`${need.kind}.action`) }
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
