import type { Failure } from '@shared/failure'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ExplainedFailure, explainFailure, type RemedyHandlers } from '../../failures'
import { formatList, formatMoney } from '../../format'
import { callKey, useAction } from '../../ipc'
import { connectionPath, planPath, pointPath, relayPath, rotationPath } from '../../paths'
import { toServerTime, useNow } from '../../relative-time'
import { Badge } from '../../ui/badge'
import type { Actions } from '../../ui/button'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { Skeleton } from '../../ui/skeleton'
import { formatPlanEnd, useToolName } from '../connections/account'
import { findFailure, listFailedTools } from '../keys/rotation'
import { showPlans } from '../plans'
import { KeychainAdvice } from '../settings'
import { getToolStatus, SwitchModelButton, toolPath } from '../tools'
import { type AttentionItem, type AttentionItemOfKind, needTones } from './attention-items'

const t = i18next.getFixedT(null, ['home', 'relay'])

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
  const startRelay = useAction('relay.start', { invalidates: ['relay', 'tools'] })
  return (
    <Item
      tone="danger"
      texts={texts}
      to={relayPath}
      failure={startRelay.error?.failure}
      remedy={[
        { label: t('relay:needed.point'), variant: 'ghost', to: pointPath({ to: 'gateway' }) },
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
    const remedy = { label: texts.action, to: '/plans', onClick: () => showPlans(need.filter, need.sortBy) }
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

export function NeedsSection({ needs }: { readonly needs: readonly AttentionItem[] }) {
  const context = { currentTime: useNow(), getToolName: useToolName() }
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
          <NeedItem key={toKey(need)} need={need} texts={describeNeed(need, context)} />
        ))}
      </Rows>
    </Section>
  )
}

const allClearClass = 'flex items-start gap-2.5 rounded-lg border bg-surface px-4 py-2.75 text-muted'

/** Shown when nothing needs attention. Lists the checks that passed. */
export function AllClearNotice() {
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
  readonly currentTime: Date
  readonly getToolName: (id: string) => string
}

type TitleAndText = Omit<NeedTexts, 'action'>

const describeCheck = (
  kind: 'planFailing' | 'toolFailing',
  { failure, modelCode, requestAddress, status }: AttentionItemOfKind<'planFailing'>['check'],
  names: { readonly plan: string | undefined; readonly tool?: string },
): TitleAndText => {
  const { title, remedy } = explainFailure(failure, { ...names, modelCode, requestAddress, status })
  return { title: t(`needs.${kind}.title`, { ...names, title }), text: remedy }
}

type PlanEndKind = 'planExpired' | 'planExpiring' | 'renewalFailing' | 'endsSoon' | 'creditsShort'

function describePlanEnd(need: AttentionItemOfKind<PlanEndKind>, { currentTime }: NeedContext): TitleAndText {
  const { kind, plan } = need
  const end = { expiresAt: plan.expiresAt, isExpired: kind === 'planExpired' }
  const when = formatPlanEnd(end, toServerTime(currentTime, plan)).short
  const names = { plan: plan.name, when, missing: kind === 'creditsShort' ? formatMoney(need.missing) : '' }
  return { title: t(`needs.${need.kind}.title`, names), text: t(`needs.${need.kind}.text`, names) }
}

const describeShortage = ({
  kind,
  plan,
  model,
  allowance,
  usableModels,
}: AttentionItemOfKind<'exhausted' | 'nearlyExhausted'>): TitleAndText => ({
  title: t(`needs.${kind}.title`, { plan: plan.name, model, allowance: t(`needs.allowances.${allowance}`) }),
  text:
    kind === 'nearlyExhausted'
      ? t('needs.nearlyExhausted.text')
      : usableModels.length === 0
        ? t('needs.exhausted.none')
        : t('needs.exhausted.text', { count: usableModels.length, models: formatList(usableModels) }),
})

type TextsByKind = {
  readonly [K in AttentionItem['kind']]: (need: AttentionItemOfKind<K>, context: NeedContext) => TitleAndText
}

const textsByKind: TextsByKind = {
  toolUnreadable: ({ tool, problem }) => {
    if (!problem)
      return { title: t('needs.toolUnreadable.title', { tool: tool.name }), text: t('needs.toolUnreadable.text') }
    const { title, explanation } = explainFailure(problem, { tool: tool.name, file: getToolStatus(tool).file })
    return { title: t('needs.toolUnreadable.titled', { tool: tool.name, title }), text: explanation }
  },
  keyMissing: ({ plan }) => ({
    title: t('needs.keyMissing.title', { plan: plan.name }),
    text: plan.origin ? t('needs.keyMissing.textAccount') : t('needs.keyMissing.text'),
  }),
  planExpired: describePlanEnd,
  renewalFailing: describePlanEnd,
  exhausted: describeShortage,
  planFailing: ({ plan, check }) => describeCheck('planFailing', check, { plan: plan.name }),
  toolFailing: ({ tool, check }) =>
    describeCheck('toolFailing', check, { plan: tool.applied?.planName, tool: tool.name }),
  rotationStuck: ({ rotation }) => {
    const failedToolNames = listFailedTools(rotation).map(({ toolName }) => toolName)
    const failure = findFailure(rotation)
    const failureTitle = failure && explainFailure(failure, { plan: rotation.planName }).title
    return {
      title: t('needs.rotationStuck.title', { key: rotation.oldKeyName }),
      text:
        failedToolNames.length > 0
          ? t('needs.rotationStuck.tools', { tools: formatList(failedToolNames) })
          : rotation.state === 'failed' && failureTitle
            ? t('needs.rotationStuck.failed', { title: failureTitle })
            : t('needs.rotationStuck.stopped'),
    }
  },
  rotationWaiting: ({ rotation }) => {
    const openHandovers = (rotation.handover ?? []).filter(({ state }) => state !== 'confirmed')
    return {
      title: t('needs.rotationWaiting.title', { key: rotation.oldKeyName }),
      text: t('needs.rotationWaiting.text', { holders: formatList(openHandovers.map(({ holder }) => holder.name)) }),
    }
  },
  keySwitch: ({ rotation: { keyName: key, planName: plan, personName: who }, failure }) => ({
    title: t('needs.keySwitch.title', { key, plan, who }),
    text: failure.message,
  }),
  keyStopped: ({ tool, setup, problem }) => ({
    title: t(`needs.keyStopped.titles.${problem}`, { tool: tool.name }),
    text: t('needs.keyStopped.text', { key: setup.applied?.keyName ?? '', plan: setup.applied?.planName ?? '' }),
  }),
  keyImported: ({ imported: { planName: plan, keyName: key, tools, from, code } }) => {
    const names = [...new Set(tools.map(({ toolName }) => toolName))]
    return {
      title: t('needs.keyImported.title', { key, plan }),
      text:
        code === undefined
          ? t('needs.keyImported.switch', { tools: formatList(names) })
          : t('needs.keyImported.code', { from }),
    }
  },
  relayOff: ({ tools }) => ({
    title: t('needs.relayOff.title'),
    text: t('needs.relayOff.text', { tools: formatList(tools.map(({ name }) => name)) }),
  }),
  toolDrifted: ({ tool }) => ({
    title: t('needs.toolDrifted.title', { tool: tool.name }),
    text: t('needs.toolDrifted.text', { settings: getToolStatus(tool).drift.join(', ') }),
  }),
  toolOverridden: ({ tool }) => ({
    title: t('needs.toolOverridden.title', { tool: tool.name }),
    text: t('needs.toolOverridden.text', {
      settings: (getToolStatus(tool).conflicts ?? []).map(({ subject, path }) => subject ?? path).join(', '),
    }),
  }),
  sandboxStopped: ({ plan: { usedBy }, failure }, { getToolName }) => ({
    title: failure ? t('needs.sandboxStopped.failed') : t('needs.sandboxStopped.title'),
    text:
      usedBy.length === 0
        ? t('needs.sandboxStopped.unused')
        : t('needs.sandboxStopped.text', { tools: formatList(usedBy.map(getToolName)) }),
  }),
  consoleFailing: ({ connection, failure }) => {
    const { title, remedy } = explainFailure(failure, { requestAddress: connection.addresses.consoleUrl })
    return { title: t('needs.consoleFailing.title', { connection: connection.name, title }), text: remedy }
  },
  planExpiring: describePlanEnd,
  endsSoon: describePlanEnd,
  creditsShort: describePlanEnd,
  nearlyExhausted: describeShortage,
  noKeychain: () => ({ title: t('needs.noKeychain.title'), text: t('needs.noKeychain.text') }),
  many: ({ what, count, names }) => ({
    title: t(`needs.many.${what}`, { count }),
    text: t('needs.many.text', { names: names.join(', '), more: count - names.length }),
  }),
}

function describeNeed<K extends AttentionItem['kind']>(need: AttentionItemOfKind<K>, context: NeedContext): NeedTexts {
  const kind: AttentionItem['kind'] = need.kind
  return { ...textsByKind[need.kind](need, context), action: t(`needs.${kind}.action`) }
}
