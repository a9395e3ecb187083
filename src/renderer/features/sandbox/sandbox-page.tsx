import type {
  SandboxEvent,
  SandboxRole,
  SandboxSituation,
  SandboxStep,
  SandboxView,
  SandboxWorldView,
} from '@shared/contract'
import { dayMs, hourMs } from '@shared/durations'
import i18next from 'i18next'
import { Check, CircleStop, FlaskConical, History, KeyRound, Play, RotateCcw, Server, Unplug } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { Fragment, type KeyboardEvent, useId, useRef, useState } from 'react'
import { Link } from 'react-router'
import { CopyText } from '../../copy-text'
import { ExplainedFailure } from '../../failures'
import {
  dateFormat,
  dateParts,
  formatDate,
  formatDateTime,
  formatMoney,
  formatTime,
  getLocale,
  numberFormat,
} from '../../format'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge, type Tone } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { QuietCode } from '../../ui/code'
import { ConfirmButton } from '../../ui/dialog'
import { TextInput } from '../../ui/field'
import { Card, EmptyState, FactsCard, Page, PageHeader, ProgressCard, Section } from '../../ui/page'
import { RadioOption, SegmentedRow } from '../../ui/radio-cards'
import { ControlRow } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { toolPath, usesPlan } from '../tools'
import { Requests } from './requests-section'

const t = i18next.getFixedT(null, 'sandbox')

const tones: Record<SandboxView['state'], Tone> = {
  stopped: 'neutral',
  starting: 'accent',
  running: 'success',
  failed: 'danger',
}

/** Button that stops the sandbox. Must be confirmed if tools use the sandbox. */
function StopButton({ planId }: Pick<SandboxView, 'planId'>) {
  const { mutate, isPending } = useAction('sandbox.stop', { invalidates: ['sandbox', 'plans'] })
  const { data: tools = [] } = useCall('tools.list', {})
  const users = tools.filter((tool) => usesPlan(tool, planId))
  return (
    <ConfirmButton
      icon={CircleStop}
      label={t('stop')}
      asks={users.length > 0}
      title={t('stopTitle')}
      description={t('stopText', { tools: users.map(({ name }) => name).join(', ') })}
      confirmLabel={t('stopConfirm')}
      busy={isPending}
      onConfirm={(close) => mutate({}, { onSettled: close })}
    />
  )
}

function Content({ view }: { readonly view: SandboxView }) {
  const openSandbox = useAction('sandbox.open', { invalidates: ['sandbox', 'plans'] })
  const start = (): void => openSandbox.mutate({})
  const failure = view.failure ?? openSandbox.error?.failure
  if (view.state === 'running')
    return (
      <>
        <SandboxDetails view={view} />
        <FaultScenarioCards planId={view.planId} situation={view.situation} />
        <SandboxWorldSection />
        <Requests />
      </>
    )
  if (view.state === 'starting' || openSandbox.isPending) {
    return <ProgressCard text={t('starting')} role="status" />
  }
  if (failure) {
    // For these failures, the start button replaces the retry button, because both would do the same.
    const isStartFailure = failure.code === 'sandbox.stateInUse' || failure.code === 'sandbox.failed'
    const retryActions = isStartFailure ? { startSandbox: start } : { tryAgain: start }
    return (
      <ExplainedFailure
        failure={failure}
        handlers={{ anotherPort: () => openSandbox.mutate({ anotherPort: true }), ...retryActions }}
      />
    )
  }
  return (
    <EmptyState
      icon={FlaskConical}
      title={t('empty.title')}
      actions={[{ label: t('start'), variant: 'primary', icon: Play, onClick: start }]}
    >
      {t('empty.text')}
    </EmptyState>
  )
}

export function SandboxPage() {
  const query = useCall('sandbox.get', {})
  const state = query.data?.state
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        state={t('about')}
        badge={state ? <Badge tone={tones[state]}>{t(`states.${state}`)}</Badge> : null}
        actions={
          query.data?.state === 'running' && [
            <ResetButton key="reset" />,
            <StopButton key="stop" planId={query.data.planId} />,
          ]
        }
      />
      <Loaded query={query}>{(view) => <Content view={view} />}</Loaded>
    </Page>
  )
}

/** Texts about deleted and kept data. */
const resetTexts = [
  { title: 'lostTitle', items: ['lost.plans', 'lost.made', 'lost.chosen'] },
  { title: 'staysTitle', items: ['stays.keys', 'stays.app'] },
] as const

function ResetButton() {
  const reset = useAction('sandbox.reset', {
    invalidates: ['sandbox', 'plans'],
    onSuccess: () => void toast(t('reset.done')),
  })
  return (
    <ConfirmButton
      danger
      icon={RotateCcw}
      label={t('reset.button')}
      title={t('reset.title')}
      description={t('reset.text')}
      confirmLabel={t('reset.confirm')}
      mutation={reset}
      onConfirm={(close) => reset.mutate({}, { onSuccess: close })}
    >
      <div className="flex flex-col gap-1">
        {resetTexts.map(({ title, items }) => (
          <Fragment key={title}>
            <p className="font-strong">{t(`reset.${title}`)}</p>
            <ul className="mb-1.5 list-disc pl-4.5 text-muted">
              {items.map((item) => (
                <li key={item}>{t(`reset.${item}`)}</li>
              ))}
            </ul>
          </Fragment>
        ))}
      </div>
    </ConfirmButton>
  )
}

const pollIntervalMs = 5_000

const useSandboxWorld = () => useCall('sandbox.world', {}, { refetchInterval: pollIntervalMs, staleTime: 0 })

function PlanExpiry({ plan }: { readonly plan: NonNullable<SandboxWorldView['plan']> }) {
  if (plan.status === 'EXPIRED')
    return <Badge tone="danger">{t('planEnd.expired', { date: formatDate(plan.expiresAt) })}</Badge>
  return (
    <span className="text-muted text-sm" title={formatDateTime(plan.expiresAt)}>
      {t(plan.autoRenew ? 'planEnd.renews' : 'planEnd.ends', { date: formatDate(plan.expiresAt) })}
    </span>
  )
}

function SandboxDetails({ view }: { readonly view: SandboxView }) {
  const { data: plans = [] } = useCall('plans.list', {})
  const { data: world } = useSandboxWorld()
  const plan = plans.find(({ id }) => id === view.planId)
  const { gatewayUrl } = view
  return (
    <FactsCard
      items={[
        gatewayUrl !== undefined && {
          label: t('address'),
          value: <QuietCode>{gatewayUrl}</QuietCode>,
          action: <CopyText text={gatewayUrl} label={t('copyAddress')} />,
        },
        plan && {
          label: t('plan'),
          value: (
            <span className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
              <Link to={`/plans/${plan.id}`}>{plan.name}</Link>
              {world?.plan ? <PlanExpiry plan={world.plan} /> : null}
            </span>
          ),
        },
      ]}
    />
  )
}

function SandboxWorldSection() {
  const query = useSandboxWorld()
  return (
    <Section title={t('world.title')} description={t('world.hint')}>
      <Loaded query={query}>
        {(world) => (
          <Card flush>
            <Clock world={world} />
            <Account world={world} />
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

const roles: readonly SandboxRole[] = ['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']

function formatCreditsHint({ credits, plan }: Pick<SandboxWorldView, 'credits' | 'plan'>): string {
  if (!plan || plan.total === 0) return t('account.creditsAre')
  const affordableCount = Math.floor(credits / plan.total)
  const textArguments = { plan: plan.name, price: formatMoney(plan.total) }
  return affordableCount === 0
    ? t('account.creditsShort', textArguments)
    : t('account.creditsEnough', { ...textArguments, count: affordableCount })
}

function Account({ world }: { readonly world: SandboxWorldView }) {
  const { mutate, isPending, variables, error } = useAction('sandbox.setAccount', {
    invalidates: ['sandbox', 'account'],
  })
  const displayedWorld = { ...world, ...(isPending ? variables : {}) }
  const { role = world.role, credits = world.credits } = displayedWorld
  const creditsHint = formatCreditsHint({ ...world, credits })
  return (
    <>
      <SegmentedRow
        label={t('account.role')}
        hint={t(`account.means.${role}`)}
        value={role}
        onValueChange={(chosenRole) => mutate({ role: chosenRole })}
        segments={roles.map((value) => ({ value, label: t(`account.roles.${value}`) }))}
      />
      <ControlRow
        label={t('account.credits')}
        hint={creditsHint}
        control={<CreditsField credits={credits} onChange={(nextCredits) => mutate({ credits: nextCredits })} />}
      >
        <ExplainedFailure failure={error?.failure} />
      </ControlRow>
    </>
  )
}

const maxDigits = 12

/** Parses an amount. Ignores separators. Undefined without digits. */
function readCredits(text: string): number | undefined {
  const digits = text.replace(/\D/g, '').slice(0, maxDigits)
  return digits === '' ? undefined : Number(digits)
}

/** Localized amount, accepted with or without separators. Enter or blur saves, Escape discards. */
function CreditsField(props: { readonly credits: number; readonly onChange: (credits: number) => void }) {
  const { credits, onChange } = props
  const [draft, setDraft] = useState<string>()
  const isCancelledRef = useRef(false)
  const applyOnBlur = (): void => {
    const nextCredits = isCancelledRef.current ? undefined : readCredits(draft ?? '')
    isCancelledRef.current = false
    setDraft(undefined)
    if (nextCredits !== undefined && nextCredits !== credits) onChange(nextCredits)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    isCancelledRef.current = event.key === 'Escape'
    event.currentTarget.blur()
  }
  return (
    <TextInput
      aria-label={t('account.creditsLabel')}
      inputMode="numeric"
      className="w-40 [&_input]:text-right [&_input]:tabular-nums"
      value={draft ?? formatMoney(credits)}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setDraft(target.value)}
      onBlur={applyOnBlur}
      onKeyDown={onKeyDown}
    />
  )
}

/** Time steps of the sandbox clock. Those relative to the plan's expiry exist while it is in the future. */
function listSteps({ clock, plan }: SandboxWorldView): readonly SandboxStep[] {
  const remainingMs = plan ? Date.parse(plan.expiresAt) - Date.parse(clock) : 0
  return [
    'hour',
    'day',
    'week',
    ...(remainingMs > dayMs ? (['beforeExpiry'] as const) : []),
    ...(remainingMs > 0 ? (['pastExpiry'] as const) : []),
  ]
}

/** Shows the effects of a time step. */
function Outcome({ step, events }: { readonly step: SandboxStep; readonly events: readonly SandboxEvent[] }) {
  return (
    <div className="mt-2.5 flex gap-2 rounded-md bg-well px-2.5 py-1.75 text-sm">
      <History size={14} strokeWidth={1.9} className="mt-0.5 text-muted" />
      <div>
        <p className="text-muted">{t(`clock.moved.${step}`)}</p>
        {events.length === 0 ? <p>{t('happened.nothing')}</p> : null}
        {events.map((event) => (
          <p key={`${event.kind} ${event.plan}`}>{formatSandboxEvent(event)}</p>
        ))}
      </div>
    </div>
  )
}

function Clock({ world }: { readonly world: SandboxWorldView }) {
  const labelId = useId()
  const { mutate, isPending, isSuccess, data, variables, error } = useAction('sandbox.moveClock', {
    invalidates: ['sandbox', 'plans', 'account'],
  })
  const span = spanText(world.aheadMs)
  const plan = world.plan?.name
  return (
    <ControlRow
      label={t('clock.title')}
      hint={t('clock.hint')}
      control={
        <p className="flex flex-col items-end text-right tabular-nums">
          <time className="font-medium" dateTime={world.clock} title={formatDateTime(world.clock)}>
            {formatClock(world.clock)}
          </time>
          <span className="text-muted text-sm">{span ? t('clock.ahead', { span }) : t('clock.same')}</span>
        </p>
      }
    >
      <fieldset className="flex min-w-0 flex-wrap items-center gap-1.5" aria-labelledby={labelId}>
        <span id={labelId} className="mr-1.5 text-muted text-sm">
          {t('clock.forward')}
        </span>
        {listSteps(world).map((step) => (
          <Button
            key={step}
            size="sm"
            busy={isPending && variables.step === step}
            disabled={isPending && variables.step !== step}
            onClick={() => mutate({ step })}
          >
            {t(`clock.steps.${step}`, { plan })}
          </Button>
        ))}
      </fieldset>
      <ExplainedFailure failure={error?.failure} />
      {/* Empty after the clock was reset. */}
      <div role="status">
        {isSuccess && world.aheadMs > 0 ? <Outcome step={variables.step} events={data.happened} /> : null}
      </div>
    </ControlRow>
  )
}

/** Formats the sandbox time, for example `Sat, Nov 21, 2026, 14:40`. */
function formatClock(iso: string): string {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return dateFormat({ weekday: 'short', ...dateParts[getLocale()], ...time }).format(new Date(iso))
}

/** Hours, or days from two days on, such as `26 hours`. Undefined below half an hour. */
function spanText(ms: number): string | undefined {
  const unit = ms >= 2 * dayMs ? 'day' : 'hour'
  const count = Math.round(ms / (unit === 'day' ? dayMs : hourMs))
  if (count === 0) return undefined
  return numberFormat({ style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

function formatSandboxEvent(happening: SandboxEvent): string {
  const { kind, plan } = happening
  if (kind === 'renewed') {
    const [date, money] = [formatDate(happening.expiresAt), formatMoney(happening.charged)]
    return t('happened.renewed', { plan, date, money })
  }
  if (kind === 'renewalFailed') return t('happened.renewalFailed', { plan, attempts: happening.attempts })
  if (kind === 'expired') return t(`happened.${happening.why}`, { plan })
  return t('happened.cycleBegan', { plan })
}

/** Simulated situations of the sandbox by cause. */
const groups = [
  { name: 'access', icon: KeyRound, situations: ['keyDisabled', 'planExpired', 'allowanceUsedUp'] },
  { name: 'service', icon: Server, situations: ['rateLimited', 'serverError', 'malformed'] },
  { name: 'network', icon: Unplug, situations: ['slow', 'cutStream', 'dropped'] },
] as const

function SituationOption({ situation }: { readonly situation: SandboxSituation }) {
  const option = { value: situation, label: t(`situations.${situation}`), hint: t(`situations.${situation}Hint`) }
  return <RadioOption option={option} className="rounded-[5px] px-2.5 py-1.5 hover:bg-hover" />
}

function ChoiceGroup(props: { readonly group: (typeof groups)[number]; readonly active: SandboxSituation }) {
  const { group, active } = props
  const id = useId()
  const { name, icon: Icon, situations } = group
  return (
    <fieldset aria-labelledby={id} className="min-w-0 not-first:ml-1.5 not-first:border-l not-first:pl-1.5">
      <h3 id={id} className="flex min-h-6 items-center gap-1.5 px-2.5 pb-0.5 font-medium text-faint text-xs">
        <Icon size={13} strokeWidth={1.9} />
        {t(`situations.groups.${name}`)}
        {situations.some((situation) => situation === active) ? (
          <span className="ml-auto">
            <Badge tone="warning">{t('situations.active')}</Badge>
          </span>
        ) : null}
      </h3>
      {situations.map((situation) => (
        <SituationOption key={situation} situation={situation} />
      ))}
    </fieldset>
  )
}

function VerifyTools({ planId }: { readonly planId: string | undefined }) {
  const { data = [] } = useCall('tools.list', {})
  const tools = data.filter(({ applied }) => applied !== undefined && applied.planId === planId)
  if (tools.length === 0) return <p className="text-muted text-sm">{t('situations.noTool')}</p>
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-muted text-sm">{t('situations.verifyHint')}</span>
      {tools.map(({ id, name }) => (
        <ButtonLink key={id} size="sm" to={toolPath(id, 'verify')}>
          {t('situations.verify', { tool: name })}
        </ButtonLink>
      ))}
    </div>
  )
}

function FaultScenarioCards({ planId, situation = 'normal' }: Pick<SandboxView, 'planId' | 'situation'>) {
  const { mutate, error, isPending, variables } = useAction('sandbox.simulate', { invalidates: ['plans', 'sandbox'] })
  const activeSituation = isPending ? variables.situation : situation
  const chooseSituation = (value: string): void => {
    const allSituations = ['normal', ...groups.flatMap(({ situations }) => situations)] as const
    const chosenSituation = allSituations.find((candidate) => candidate === value)
    if (chosenSituation) mutate({ situation: chosenSituation })
  }
  return (
    <Section title={t('situations.title')} description={t('situations.hint')}>
      <div className="rounded-lg border bg-surface">
        <RadioGroup.Root
          className="p-1.5"
          value={activeSituation}
          onValueChange={chooseSituation}
          aria-label={t('situations.title')}
          aria-busy={isPending}
        >
          <SituationOption situation="normal" />
          <div className="mt-1.5 grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] border-t pt-2">
            {groups.map((group) => (
              <ChoiceGroup key={group.name} group={group} active={activeSituation} />
            ))}
          </div>
        </RadioGroup.Root>
        <ExpireTokens />
      </div>
      <ExplainedFailure failure={error?.failure} />
      <VerifyTools planId={planId} />
    </Section>
  )
}

/** Button that makes all issued sign-in tokens invalid. This happens once and is not a lasting situation. */
function ExpireTokens() {
  const { mutate, isPending, isSuccess, submittedAt, error } = useAction('sandbox.expireTokens')
  return (
    <div className="border-t">
      <ControlRow
        label={t('tokens.title')}
        hint={t('tokens.hint')}
        control={[
          <span key="done" role="status" className="inline-flex items-center gap-1.25 text-success text-sm">
            {isSuccess ? (
              <>
                <Check size={13} strokeWidth={2.2} />
                {t('tokens.done', { time: formatTime(new Date(submittedAt).toISOString()) })}
              </>
            ) : null}
          </span>,
          { label: t('tokens.expire'), busy: isPending, onClick: () => mutate({}) },
        ]}
      >
        <ExplainedFailure failure={error?.failure} />
      </ControlRow>
    </div>
  )
}
