import type { ToolView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatList, useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { toServerTime } from '../../relative-time'
import { endWords } from '../connections/account'
import { findFailure, listFailedTools } from '../keys/rotation'
import { getToolStatus } from '../tools'
import type { AttentionItem, End } from './attention-items'

export interface NeedWords {
  readonly title: string
  readonly text: string
  readonly action: string
}

type AttentionItemOfKind<K extends AttentionItem['kind']> = Extract<AttentionItem, { readonly kind: K }>

interface Speech {
  readonly t: TFunction<'home', 'needs'>
  readonly explain: ReturnType<typeof useFailureWords>
  readonly money: (dong: number) => string
  /** Formats a relative time. */
  readonly when: (end: End, isOver?: boolean) => string
  /** Joins names to a list. */
  readonly list: (names: readonly string[]) => string
  /** Joins tool names to a list. */
  readonly named: (toolIds: readonly string[]) => string
}

function unreadable({ tool, problem }: AttentionItemOfKind<'toolUnreadable'>, { t, explain }: Speech): NeedWords {
  const action = t('toolUnreadable.action')
  if (!problem) return { title: t('toolUnreadable.title', { tool: tool.name }), text: t('toolUnreadable.text'), action }
  const texts = explain(problem, { tool: tool.name, file: getToolStatus(tool).file })
  return { title: t('toolUnreadable.titled', { tool: tool.name, title: texts.title }), text: texts.explanation, action }
}

function failing({ plan, check }: AttentionItemOfKind<'planFailing'>, { t, explain }: Speech): NeedWords {
  const { modelCode, requestAddress, status } = check
  const texts = explain(check.failure, { plan: plan.name, modelCode, requestAddress, status })
  const title = t('planFailing.title', { plan: plan.name, title: texts.title })
  return { title, text: texts.remedy, action: t('planFailing.action') }
}

function failingTool({ tool, check }: AttentionItemOfKind<'toolFailing'>, { t, explain }: Speech): NeedWords {
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

const stopped = ({ plan, failure }: AttentionItemOfKind<'sandboxStopped'>, { t, named }: Speech): NeedWords => ({
  title: failure ? t('sandboxStopped.failed') : t('sandboxStopped.title'),
  text: plan.usedBy.length === 0 ? t('sandboxStopped.unused') : t('sandboxStopped.text', { tools: named(plan.usedBy) }),
  action: t('sandboxStopped.action'),
})

function keyMissing({ plan }: AttentionItemOfKind<'keyMissing'>, { t }: Speech): NeedWords {
  const text = plan.origin ? t('keyMissing.textAccount') : t('keyMissing.text')
  return { title: t('keyMissing.title', { plan: plan.name }), text, action: t('keyMissing.action') }
}

type Ending = 'planExpired' | 'planExpiring' | 'renewalFailing' | 'endsSoon' | 'creditsShort'

function ending(need: AttentionItemOfKind<Ending>, { t, when, money }: Speech): NeedWords {
  const missing = need.kind === 'creditsShort' ? money(need.missing) : ''
  const names = { plan: need.plan.name, when: when(need, need.kind === 'planExpired'), missing }
  return {
    title: t(`${need.kind}.title`, names),
    text: t(`${need.kind}.text`, names),
    action: t(`${need.kind}.action`),
  }
}

function short(
  { kind, plan, model, allowance }: AttentionItemOfKind<'exhausted' | 'nearlyExhausted'>,
  { t }: Speech,
): NeedWords {
  const names = { plan: plan.name, model, allowance: t(`allowances.${allowance}`) }
  return { title: t(`${kind}.title`, names), text: t(`${kind}.text`), action: t(`${kind}.action`) }
}

function consoleFailing(
  { connection, failure }: AttentionItemOfKind<'consoleFailing'>,
  { t, explain }: Speech,
): NeedWords {
  const texts = explain(failure, { requestAddress: connection.addresses.consoleUrl })
  const title = t('consoleFailing.title', { connection: connection.name, title: texts.title })
  return { title, text: texts.remedy, action: t('consoleFailing.action') }
}

function rotationStuck({ rotation }: AttentionItemOfKind<'rotationStuck'>, { t, explain, list }: Speech): NeedWords {
  const left = listFailedTools(rotation).map(({ toolName }) => toolName)
  const failure = findFailure(rotation)
  const why = failure && explain(failure, { plan: rotation.planName }).title
  return {
    title: t('rotationStuck.title', { key: rotation.oldKeyName }),
    text:
      left.length > 0
        ? t('rotationStuck.tools', { tools: list(left) })
        : rotation.state === 'failed' && why
          ? t('rotationStuck.failed', { title: why })
          : t('rotationStuck.stopped'),
    action: t('rotationStuck.action'),
  }
}

const rotationWaiting = ({ rotation }: AttentionItemOfKind<'rotationWaiting'>, { t, list }: Speech): NeedWords => {
  const open = (rotation.handover ?? []).filter(({ state }) => state !== 'confirmed')
  return {
    title: t('rotationWaiting.title', { key: rotation.oldKeyName }),
    text: t('rotationWaiting.text', { holders: list(open.map(({ holder }) => holder.name)) }),
    action: t('rotationWaiting.action'),
  }
}

const keyStopped = ({ tool, setup, problem }: AttentionItemOfKind<'keyStopped'>, { t }: Speech): NeedWords => ({
  title: t(`keyStopped.titles.${problem}`, { tool: tool.name }),
  text: t('keyStopped.text', { key: setup.applied?.keyName ?? '', plan: setup.applied?.planName ?? '' }),
  action: t('keyStopped.action'),
})

const keySwitch = (
  { keyName: key, planName: plan, personName: who, failure }: AttentionItemOfKind<'keySwitch'>,
  { t }: Speech,
): NeedWords => ({
  title: t('keySwitch.title', { key, plan, who }),
  text: failure?.message ?? '',
  action: t('keySwitch.action'),
})

const keyImported = ({ imported }: AttentionItemOfKind<'keyImported'>, { t, list }: Speech): NeedWords => {
  const { planName: plan, keyName: key, tools, from, code } = imported
  const names = [...new Set(tools.map(({ toolName }) => toolName))]
  return {
    title: t('keyImported.title', { key, plan }),
    text: code === undefined ? t('keyImported.switch', { tools: list(names) }) : t('keyImported.code', { from }),
    action: t('keyImported.action'),
  }
}

const many = ({ what, count, names }: AttentionItemOfKind<'many'>, { t }: Speech): NeedWords => ({
  title: t(`many.${what}`, { count }),
  text: t('many.text', { names: names.join(', '), more: count - names.length }),
  action: t('many.action'),
})

const drifted = ({ tool }: AttentionItemOfKind<'toolDrifted'>, { t }: Speech): NeedWords => ({
  title: t('toolDrifted.title', { tool: tool.name }),
  text: t('toolDrifted.text', { settings: getToolStatus(tool).drift.join(', ') }),
  action: t('toolDrifted.action'),
})

const overridden = ({ tool }: AttentionItemOfKind<'toolOverridden'>, { t }: Speech): NeedWords => ({
  title: t('toolOverridden.title', { tool: tool.name }),
  text: t('toolOverridden.text', {
    settings: (getToolStatus(tool).conflicts ?? []).map(({ subject, path }) => subject ?? path).join(', '),
  }),
  action: t('toolOverridden.action'),
})

const withoutRelay = ({ tools }: AttentionItemOfKind<'relayOff'>, { t, list }: Speech): NeedWords => ({
  title: t('relayOff.title'),
  text: t('relayOff.text', { tools: list(tools.map(({ name }) => name)) }),
  action: t('relayOff.action'),
})

const noKeychain = ({ t }: Speech): NeedWords => ({
  title: t('noKeychain.title'),
  text: t('noKeychain.text'),
  action: t('noKeychain.action'),
})

type TextsByKind = {
  readonly [K in AttentionItem['kind']]: (need: AttentionItemOfKind<K>, speech: Speech) => NeedWords
}

const textsByKind: TextsByKind = {
  toolUnreadable: unreadable,
  keyMissing,
  planExpired: ending,
  renewalFailing: ending,
  exhausted: short,
  planFailing: failing,
  toolFailing: failingTool,
  rotationStuck,
  rotationWaiting,
  keySwitch,
  keyStopped,
  keyImported,
  relayOff: withoutRelay,
  toolDrifted: drifted,
  toolOverridden: overridden,
  sandboxStopped: stopped,
  consoleFailing,
  planExpiring: ending,
  endsSoon: ending,
  creditsShort: ending,
  nearlyExhausted: short,
  noKeychain: (_, speech) => noKeychain(speech),
  many,
}

function wordsFor<K extends AttentionItem['kind']>(
  need: AttentionItemOfKind<K> & { readonly kind: K },
  speech: Speech,
): NeedWords {
  return textsByKind[need.kind](need, speech)
}

export function useNeedWords(tools: readonly ToolView[], currentTime: Date): (need: AttentionItem) => NeedWords {
  const { t } = useTranslation('home', { keyPrefix: 'needs' })
  const formats = useFormats()
  const { locale, money } = formats
  const explain = useFailureWords()
  const when = (end: End, isExpired = false): string =>
    endWords({ expiresAt: end.expiresAt, isExpired }, formats, toServerTime(currentTime, end)).short
  const list = (names: readonly string[]): string => formatList(names, locale)
  const named = (ids: readonly string[]): string =>
    list(ids.map((id) => tools.find((tool) => tool.id === id)?.name ?? id))
  return (need) => wordsFor(need, { t, explain, money, when, named, list })
}
