import type { ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { callKey, useAction } from '../../ipc'
import { connectionPath, planPath, pointPath, relayPath, rotationPath } from '../../paths'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { Skeleton } from '../../ui/skeleton'
import { ExplainedFailure, type RemedyHandlers } from '../failures'
import type { Filter, SortColumn } from '../plans'
import { usePlansStore } from '../plans'
import { KeychainAdvice } from '../settings'
import { getToolStatus, toolPath } from '../tools'
import type { AttentionItem } from './attention-items'
import { type NeedWords, useNeedWords } from './use-need-words'

type NeedOf<K extends AttentionItem['kind']> = Extract<AttentionItem, { readonly kind: K }>
type Tone = 'danger' | 'warning' | 'neutral'

const tones: Record<Exclude<AttentionItem['kind'], 'many'>, Tone> = {
  toolUnreadable: 'danger',
  keyStopped: 'danger',
  keyMissing: 'danger',
  planExpired: 'danger',
  planFailing: 'danger',
  toolFailing: 'danger',
  rotationStuck: 'warning',
  keySwitch: 'danger',
  rotationWaiting: 'warning',
  keyImported: 'warning',
  relayOff: 'danger',
  toolOverridden: 'danger',
  toolDrifted: 'warning',
  sandboxStopped: 'warning',
  renewalFailing: 'danger',
  exhausted: 'danger',
  consoleFailing: 'warning',
  planExpiring: 'warning',
  endsSoon: 'warning',
  creditsShort: 'warning',
  nearlyExhausted: 'warning',
  noKeychain: 'warning',
}
const iconTones = { danger: 'text-danger', warning: 'text-warning', neutral: 'text-muted' } as const
const icons = { danger: CircleAlert, warning: TriangleAlert, neutral: Info } as const

const toneOf = (need: AttentionItem): Tone =>
  need.kind === 'sandboxStopped' && need.plan.usedBy.length === 0 && !need.failure
    ? 'neutral'
    : tones[need.kind === 'many' ? need.what : need.kind]

interface ItemProps {
  readonly tone: Tone
  readonly words: NeedWords
  readonly remedy: ReactNode
  /** More than words beneath the title. */
  readonly more?: ReactNode
  /** Why the remedy did not work. */
  readonly failure?: Failure | undefined
  readonly handlers?: RemedyHandlers
  readonly to?: string
}

function Item({ tone, words, remedy, more, failure, handlers, to }: ItemProps) {
  const Icon = icons[tone]
  return (
    <Row
      leading={<Icon size={17} strokeWidth={1.8} className={iconTones[tone]} aria-hidden="true" />}
      title={words.title}
      {...(to ? { to } : {})}
      description={
        <>
          {words.text}
          {more}
          {failure ? (
            <div className="mt-2">
              <ExplainedFailure failure={failure} handlers={handlers} />
            </div>
          ) : null}
        </>
      }
      trailing={remedy}
    />
  )
}

function FailingPlan({ need, words }: { readonly need: NeedOf<'planFailing'>; readonly words: NeedWords }) {
  const check = useAction('plans.check', { invalidates: ['plans'] })
  const again = (): void => check.mutate({ planId: need.plan.id })
  return (
    <Item
      tone="danger"
      words={words}
      to={`/plans/${need.plan.id}`}
      failure={check.error?.failure}
      remedy={
        <Button size="sm" busy={check.isPending} onClick={again}>
          {words.action}
        </Button>
      }
    />
  )
}

function StoppedSandbox({ need, words }: { readonly need: NeedOf<'sandboxStopped'>; readonly words: NeedWords }) {
  const open = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools'] })
  return (
    <Item
      tone={toneOf(need)}
      words={words}
      failure={open.error?.failure ?? need.failure}
      handlers={{ anotherPort: () => open.mutate({ anotherPort: true }) }}
      remedy={
        <Button size="sm" busy={open.isPending} onClick={() => open.mutate({})}>
          {words.action}
        </Button>
      }
    />
  )
}

function StoppedRelay({ words }: { readonly words: NeedWords }) {
  const { t } = useTranslation('relay')
  const start = useAction('relay.start', { invalidates: ['relay', 'tools'] })
  return (
    <Item
      tone="danger"
      words={words}
      to={relayPath}
      failure={start.error?.failure}
      remedy={
        <>
          <ButtonLink size="sm" variant="ghost" to={pointPath({ to: 'gateway' })}>
            {t('needed.point')}
          </ButtonLink>
          <Button size="sm" busy={start.isPending} onClick={() => start.mutate({})}>
            {words.action}
          </Button>
        </>
      }
    />
  )
}

function NoKeychain({ need, words }: { readonly need: NeedOf<'noKeychain'>; readonly words: NeedWords }) {
  const recheck = useAction('app.recheckVault', { invalidates: ['app', 'connections', 'plans'] })
  return (
    <Item
      tone="warning"
      words={words}
      failure={recheck.error?.failure}
      more={<KeychainAdvice platform={need.platform} />}
      remedy={
        <Button size="sm" busy={recheck.isPending} onClick={() => recheck.mutate({})}>
          {words.action}
        </Button>
      }
    />
  )
}

function FailingConsole({ need, words }: { readonly need: NeedOf<'consoleFailing'>; readonly words: NeedWords }) {
  const queries = useQueryClient()
  const key = callKey('account.plans', { connectionId: need.connection.id })
  const isFetching = useIsFetching({ queryKey: key }) > 0
  return (
    <Item
      tone="warning"
      words={words}
      to={connectionPath(need.connection.id)}
      remedy={
        <Button size="sm" busy={isFetching} onClick={() => void queries.refetchQueries({ queryKey: key })}>
          {words.action}
        </Button>
      }
    />
  )
}

/** Link of a combined item: the filter or sort order that shows its plans. */
const listOf: Record<NeedOf<'many'>['what'], { readonly filter: Filter; readonly sort: SortColumn }> = {
  keyMissing: { filter: 'all', sort: 'status' },
  planFailing: { filter: 'all', sort: 'status' },
  planExpiring: { filter: 'expiring', sort: 'expires' },
  planExpired: { filter: 'expired', sort: 'expires' },
  renewalFailing: { filter: 'active', sort: 'status' },
  exhausted: { filter: 'active', sort: 'left' },
  nearlyExhausted: { filter: 'active', sort: 'left' },
  endsSoon: { filter: 'expiring', sort: 'expires' },
  creditsShort: { filter: 'expiring', sort: 'expires' },
}

function Many({ need, words }: { readonly need: NeedOf<'many'>; readonly words: NeedWords }) {
  const show = usePlansStore((store) => store.show)
  return (
    <Item
      tone={toneOf(need)}
      words={words}
      remedy={
        <ButtonLink size="sm" to="/plans" onClick={() => show(listOf[need.what])}>
          {words.action}
        </ButtonLink>
      }
    />
  )
}

function pathOf(need: Exclude<AttentionItem, NeedOf<'many' | 'noKeychain' | 'consoleFailing' | 'relayOff'>>): string {
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

function NeedItem({ need, words }: { readonly need: AttentionItem; readonly words: NeedWords }) {
  if (need.kind === 'many') return <Many need={need} words={words} />
  if (need.kind === 'consoleFailing') return <FailingConsole need={need} words={words} />
  if (need.kind === 'planFailing') return <FailingPlan need={need} words={words} />
  if (need.kind === 'sandboxStopped') return <StoppedSandbox need={need} words={words} />
  if (need.kind === 'relayOff') return <StoppedRelay words={words} />
  if (need.kind === 'noKeychain') return <NoKeychain need={need} words={words} />
  const to = pathOf(need)
  return (
    <Item
      tone={toneOf(need)}
      words={words}
      to={to}
      remedy={
        <ButtonLink size="sm" to={to}>
          {words.action}
        </ButtonLink>
      }
    />
  )
}

const keyOf = (need: AttentionItem): string =>
  need.kind === 'many'
    ? `many-${need.what}`
    : `${need.kind}-${'tool' in need ? need.tool.id : 'plan' in need ? need.plan.id : 'rotation' in need ? need.rotation.id : 'imported' in need ? need.imported.keyId : 'app'}`

export function NeedsSection({
  needs,
  tools,
  now,
}: {
  readonly needs: readonly AttentionItem[]
  readonly tools: readonly ToolView[]
  readonly now: Date
}) {
  const { t } = useTranslation('home')
  const wordsOf = useNeedWords(tools, now)
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
          <NeedItem key={keyOf(need)} need={need} words={wordsOf(need)} />
        ))}
      </Rows>
    </Section>
  )
}

const calm = 'flex items-start gap-2.5 rounded-lg border bg-surface px-4 py-2.75 text-muted'

/** Says that everything is fine, and what was checked. */
export function AllInOrder() {
  const { t } = useTranslation('home')
  return (
    <div className={calm}>
      <CircleCheck size={18} strokeWidth={1.8} className="mt-px text-success" aria-hidden="true" />
      <p>
        <strong className="mr-1 font-semibold text-text">{t('calm.title')}</strong> {t('calm.text')}
      </p>
    </div>
  )
}

export function Looking() {
  const { t } = useTranslation('home')
  return (
    <div className={calm} role="status">
      <Skeleton width={18} height={18} />
      <p>{t('needs.loading')}</p>
    </div>
  )
}
