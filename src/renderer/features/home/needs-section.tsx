import type { ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure, type RemedyHandlers } from '../../failures'
import { formatList, useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { callKey, useAction } from '../../ipc'
import { connectionPath, planPath, pointPath, relayPath, rotationPath } from '../../paths'
import { toServerTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import type { Actions } from '../../ui/button'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { Skeleton } from '../../ui/skeleton'
import { formatPlanEnd } from '../connections/account'
import { findFailure, listFailedTools } from '../keys/rotation'
import { type Filter, showPlans } from '../plans'
import { KeychainAdvice } from '../settings'
import { getToolStatus, SwitchModelButton, toolPath } from '../tools'
import { type AttentionItem, type AttentionItemOfKind, type EndingPlan, needTones } from './attention-items'

interface NeedProps<K extends AttentionItem['kind']> {
  readonly need: AttentionItemOfKind<K>
  readonly texts: NeedTexts
}

type Tone = 'danger' | 'warning' | 'neutral'

const iconTones = { danger: 'text-danger', warning: 'text-warning', neutral: 'text-muted' } as const
const icons = { danger: CircleAlert, warning: TriangleAlert, neutral: Info } as const

const getTone = (need: AttentionItem): Tone =>
  need.kind === 'sandboxStopped' && need.plan.usedBy.length === 0 && !need.failure
    ? 'neutral'
    : needTones[need.kind === 'many' ? need.what : need.kind]

function Item(props: {
  readonly tone: Tone
  readonly texts: NeedTexts
  readonly remedy: Actions
  /** Additional content below the title. */
  readonly more?: ReactNode
  readonly failure?: Failure | undefined
  readonly handlers?: RemedyHandlers
  readonly to?: string
}) {
  const { tone, texts, remedy, more, failure, handlers, to } = props
  const Icon = icons[tone]
  return (
    <Row
      leading={<Icon size={17} strokeWidth={1.8} className={iconTones[tone]} aria-hidden="true" />}
      title={texts.title}
      {...(to ? { to } : {})}
      description={
        <>
          {texts.text}
          {more}
          <div className="mt-2 empty:hidden">
            <ExplainedFailure failure={failure} handlers={handlers} />
          </div>
        </>
      }
      trailing={remedy}
    />
  )
}

function PlanFailureNeed({ need, texts }: NeedProps<'planFailing'>) {
  const check = useAction('plans.check', { invalidates: ['plans'] })
  const repeatCheck = (): void => check.mutate({ planId: need.plan.id })
  return (
    <Item
      tone="danger"
      texts={texts}
      to={`/plans/${need.plan.id}`}
      failure={check.error?.failure}
      remedy={[{ label: texts.action, busy: check.isPending, onClick: repeatCheck }]}
    />
  )
}

function StoppedSandbox({ need, texts }: NeedProps<'sandboxStopped'>) {
  const openSandbox = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools'] })
  return (
    <Item
      tone={getTone(need)}
      texts={texts}
      failure={openSandbox.error?.failure ?? need.failure}
      handlers={{ anotherPort: () => openSandbox.mutate({ anotherPort: true }) }}
      remedy={[{ label: texts.action, busy: openSandbox.isPending, onClick: () => openSandbox.mutate({}) }]}
    />
  )
}

function StoppedRelay({ texts }: { readonly texts: NeedTexts }) {
  const { t } = useTranslation('relay')
  const startRelay = useAction('relay.start', { invalidates: ['relay', 'tools'] })
  return (
    <Item
      tone="danger"
      texts={texts}
      to={relayPath}
      failure={startRelay.error?.failure}
      remedy={[
        { label: t('needed.point'), variant: 'ghost', to: pointPath({ to: 'gateway' }) },
        { label: texts.action, busy: startRelay.isPending, onClick: () => startRelay.mutate({}) },
      ]}
    />
  )
}

function NoKeychain({ need, texts }: NeedProps<'noKeychain'>) {
  const recheckKeychain = useAction('app.recheckVault', { invalidates: ['app', 'connections', 'plans'] })
  return (
    <Item
      tone="warning"
      texts={texts}
      failure={recheckKeychain.error?.failure}
      more={<KeychainAdvice platform={need.platform} />}
      remedy={[{ label: texts.action, busy: recheckKeychain.isPending, onClick: () => recheckKeychain.mutate({}) }]}
    />
  )
}

function ConsoleFailureNeed({ need, texts }: NeedProps<'consoleFailing'>) {
  const queries = useQueryClient()
  const key = callKey('account.plans', { connectionId: need.connection.id })
  const busy = useIsFetching({ queryKey: key }) > 0
  return (
    <Item
      tone="warning"
      texts={texts}
      to={connectionPath(need.connection.id)}
      remedy={[{ label: texts.action, busy, onClick: () => void queries.refetchQueries({ queryKey: key }) }]}
    />
  )
}

/** Filter and sort column of the plan list that a combined item links to, by kind of problem. */
const listTargets: Record<AttentionItemOfKind<'many'>['what'], readonly [filter: Filter, by: string]> = {
  keyMissing: ['all', 'status'],
  planFailing: ['all', 'status'],
  planExpiring: ['expiring', 'expires'],
  planExpired: ['expired', 'expires'],
  renewalFailing: ['active', 'status'],
  exhausted: ['active', 'left'],
  nearlyExhausted: ['active', 'left'],
  endsSoon: ['expiring', 'expires'],
  creditsShort: ['expiring', 'expires'],
}

function toPath(
  need: Exclude<AttentionItem, AttentionItemOfKind<'many' | 'noKeychain' | 'consoleFailing' | 'relayOff'>>,
): string {
  if (need.kind === 'rotationStuck' || need.kind === 'rotationWaiting') return rotationPath(need.rotation.id)
  if (need.kind === 'keyStopped') return toolPath(need.tool.id, 'configure', need.setup.site)
  if (need.kind === 'keySwitch') return '/team'
  if (need.kind === 'keyImported') return planPath(need.imported.planId)
  if (need.kind === 'toolDrifted') return toolPath(need.tool.id, 'review', getToolStatus(need.tool).site)
  if ('tool' in need) return toolPath(need.tool.id, undefined, getToolStatus(need.tool).site)
  if (need.kind === 'keyMissing') return `/plans/${need.plan.id}${need.plan.origin ? '?tab=keys' : '?paste=1'}`
  const isAllowance = need.kind === 'exhausted' || need.kind === 'nearlyExhausted'
  return `/plans/${need.plan.id}${isAllowance ? '?tab=models' : ''}`
}

function NeedItem({ need, texts }: NeedProps<AttentionItem['kind']>) {
  if (need.kind === 'many') {
    const remedy = { label: texts.action, to: '/plans', onClick: () => showPlans(...listTargets[need.what]) }
    return <Item tone={getTone(need)} texts={texts} remedy={[remedy]} />
  }
  if (need.kind === 'consoleFailing') return <ConsoleFailureNeed need={need} texts={texts} />
  if (need.kind === 'planFailing') return <PlanFailureNeed need={need} texts={texts} />
  if (need.kind === 'sandboxStopped') return <StoppedSandbox need={need} texts={texts} />
  if (need.kind === 'relayOff') return <StoppedRelay texts={texts} />
  if (need.kind === 'noKeychain') return <NoKeychain need={need} texts={texts} />
  const targetPath = toPath(need)
  return (
    <Item
      tone={getTone(need)}
      texts={texts}
      to={targetPath}
      remedy={[
        need.kind === 'exhausted' && need.localPlanId !== undefined && (
          <SwitchModelButton key="switch" planId={need.localPlanId} modelCode={need.modelCode} />
        ),
        { label: texts.action, to: targetPath },
      ]}
    />
  )
}

const toKey = (need: AttentionItem): string =>
  need.kind === 'many'
    ? `many-${need.what}`
    : `${need.kind}-${'tool' in need ? need.tool.id : 'plan' in need ? need.plan.id : 'rotation' in need ? need.rotation.id : 'imported' in need ? need.imported.keyId : 'app'}`

export function NeedsSection(props: {
  readonly needs: readonly AttentionItem[]
  readonly tools: readonly ToolView[]
  readonly currentTime: Date
}) {
  const { needs, tools, currentTime } = props
  const { t } = useTranslation('home')
  const getTexts = useAttentionTexts(tools, currentTime)
  return (
    <Section
      title={
        <span className="inline-flex items-center gap-1.5">
          {t('needs.title')} <Badge tone="neutral">{needs.length}</Badge>
        </span>
      }
    >
      <Rows label={t('needs.list')}>
        {needs.map((need) => (
          <NeedItem key={toKey(need)} need={need} texts={getTexts(need)} />
        ))}
      </Rows>
    </Section>
  )
}

const allClearClass = 'flex items-start gap-2.5 rounded-lg border bg-surface px-4 py-2.75 text-muted'

/** Shown when nothing needs attention. Lists the checks that passed. */
export function AllClearNotice() {
  const { t } = useTranslation('home')
  return (
    <div className={allClearClass}>
      <CircleCheck size={18} strokeWidth={1.8} className="mt-px text-success" aria-hidden="true" />
      <p>
        <strong className="mr-1 font-semibold text-text">{t('calm.title')}</strong> {t('calm.text')}
      </p>
    </div>
  )
}

/** `isWaiting`: the console of the active connection has not responded yet. */
export function HomeSkeleton({ isWaiting = false }: { readonly isWaiting?: boolean }) {
  const { t } = useTranslation('home')
  return (
    <div className={allClearClass} role="status">
      <Skeleton width={18} height={18} />
      <p>{t(isWaiting ? 'needs.waiting' : 'needs.loading')}</p>
    </div>
  )
}

interface NeedTexts {
  readonly title: string
  readonly text: string
  readonly action: string
}

interface NeedContext {
  readonly t: TFunction<'home', 'needs'>
  readonly explain: ReturnType<typeof useFailureTexts>
  readonly money: (dong: number) => string
  /** Formats the end of a plan relative to now. */
  readonly when: (plan: EndingPlan, isOver: boolean) => string
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
  const names = { plan: need.plan.name, when: when(need.plan, need.kind === 'planExpired'), missing: missingText }
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

function describeNeed<K extends AttentionItem['kind']>(need: AttentionItemOfKind<K>, context: NeedContext): NeedTexts {
  return { ...textsByKind[need.kind](need, context), action: context.t(`${need.kind}.action`) }
}

function useAttentionTexts(tools: readonly ToolView[], currentTime: Date): (need: AttentionItem) => NeedTexts {
  const { t } = useTranslation('home', { keyPrefix: 'needs' })
  const formats = useFormats()
  const { locale, money } = formats
  const getFailureTexts = useFailureTexts()
  const formatEnd = (plan: EndingPlan, isExpired: boolean): string =>
    formatPlanEnd({ expiresAt: plan.expiresAt, isExpired }, formats, toServerTime(currentTime, plan)).short
  const list = (names: readonly string[]): string => formatList(names, locale)
  const formatToolNames = (ids: readonly string[]): string =>
    list(ids.map((id) => tools.find((tool) => tool.id === id)?.name ?? id))
  return (need) =>
    describeNeed(need, { t, explain: getFailureTexts, money, when: formatEnd, named: formatToolNames, list })
}
