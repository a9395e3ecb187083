import type { ModelQuota, PlanQuota } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChartColumn, Gauge, PencilLine, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyCode } from '../../copy-text'
import { useFormats } from '../../format'
import { callKey, useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { useNow } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Card, EmptyState, Section } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { Tooltip } from '../../ui/tooltip'
import { allowanceKinds } from '../plans/entries'
import { endWords } from '../plans/plan-status'
import { planPath } from '../plans/use-plan-menu'
import { figuresPath } from '../usage/paths'
import { useModelColour } from '../usage/use-hues'
import { AllowancesDialog } from './allowances-dialog'
import { AllowanceGauge, allowanceIn, UnknownGauge } from './gauge'
import styles from './quota-list.module.css'

/** What the marks of a meter mean. */
function Legend() {
  const { t } = useTranslation('quota')
  return (
    <ul className={styles.legend} aria-hidden="true">
      {(['used', 'expected', 'pace'] as const).map((mark) => (
        <li key={mark}>
          <span className={styles[`${mark}Mark`]} />
          {t(`legend.${mark}`)}
        </li>
      ))}
    </ul>
  )
}

function Plans({ plans }: { readonly plans: readonly PlanQuota[] }) {
  const colour = useModelColour()
  const { data: local = [] } = useCall('plans.list', {})
  const [telling, setTelling] = useState<string>()
  const plan = local.find(({ id }) => id === telling)
  const canTell = ({ planId, origin }: PlanQuota): boolean =>
    origin === undefined &&
    planId !== undefined &&
    local.some(({ id, source }) => id === planId && source !== 'sandbox')
  return (
    <>
      {plans.map((one) => (
        <PlanQuotaSection
          key={JSON.stringify([one.origin?.connectionId, one.origin?.planId, one.planId])}
          plan={one}
          colour={colour}
          onTell={canTell(one) ? () => setTelling(one.planId) : undefined}
        />
      ))}
      {plan ? <AllowancesDialog plan={plan} onClose={() => setTelling(undefined)} /> : null}
    </>
  )
}

/** What is left: every plan, the tightest first, each model by itself. */
export function QuotaList() {
  const { t } = useTranslation('quota')
  const query = useQuota()
  return (
    <>
      <div className={styles.intro}>
        <p className={styles.quiet}>{t('intro')}</p>
        <Legend />
      </div>
      <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
        {(plans) =>
          plans.length === 0 ? (
            <EmptyState
              icon={Gauge}
              title={t('none')}
              actions={
                <ButtonLink variant="primary" to="/plans/new">
                  {t('addPlan')}
                </ButtonLink>
              }
            >
              {t('noneText')}
            </EmptyState>
          ) : (
            <Plans plans={plans} />
          )
        }
      </Loaded>
    </>
  )
}

const keyOf = ({ origin, planId, name }: PlanQuota): string => origin?.planId ?? planId ?? name

function End({ plan }: { readonly plan: PlanQuota }) {
  const { t } = useTranslation('quota')
  const formats = useFormats()
  const now = useNow()
  if (!plan.cycle) return null
  const { to, autoRenew } = plan.cycle
  const there = new Date(now.getTime() + (plan.aheadMs ?? 0))
  const { short, exact } = endWords({ expiresAt: to, isExpired: plan.isExpired }, formats, there)
  const verb = autoRenew === undefined ? 'cycleEnds' : autoRenew ? 'renews' : 'ends'
  return <span title={exact}>{t(verb, { when: short })}</span>
}

/** Who counted: it decides whether what others used is in the figures. An account's plan is counted here only when its console does not answer. */
function Source({ plan }: { readonly plan: PlanQuota }) {
  const { t } = useTranslation('quota')
  const { relative } = useFormats()
  const { short, exact } = relative(plan.at, useNow())
  return (
    <Tooltip content={`${t('at', { when: short })} (${exact})`}>
      <span>{t(`source.${plan.source === 'machine' && plan.origin ? 'instead' : plan.source}`)}</span>
    </Tooltip>
  )
}

function usageOf({ origin, planId, source }: PlanQuota): string {
  if (source === 'console' && origin) return figuresPath({ scope: 'console', ...origin, span: 'cycle' })
  return figuresPath({ scope: 'machine', planId, span: 'cycle' })
}

interface PlanQuotaSectionProps {
  readonly plan: PlanQuota
  readonly colour: (modelCode: string) => string
  /** For a plan whose allowances a person may tell. */
  readonly onTell: (() => void) | undefined
}

function Actions({ plan, onTell }: Omit<PlanQuotaSectionProps, 'colour'>) {
  const { t } = useTranslation('quota')
  const isTold = plan.models.some(({ tokens, requests }) => (tokens.quota ?? requests.quota) !== undefined)
  return (
    <>
      {onTell ? (
        <Button size="sm" variant={isTold ? 'ghost' : 'secondary'} icon={PencilLine} onClick={onTell}>
          {t(isTold ? 'change' : 'tell')}
        </Button>
      ) : null}
      <ButtonLink size="sm" variant="ghost" icon={ChartColumn} to={usageOf(plan)}>
        {t('toUsage')}
        <span className="sr-only"> {plan.name}</span>
      </ButtonLink>
    </>
  )
}

/** One plan: when its cycle ends, who counted, and its models with their two gauges each. */
function PlanQuotaSection({ plan, colour, onTell }: PlanQuotaSectionProps) {
  const { t } = useTranslation('quota')
  return (
    <Section
      title={
        <span className={styles.title}>
          <Link to={planPath(keyOf(plan))}>{plan.name}</Link>
          {plan.isExpired ? <Badge tone="danger">{t('expired')}</Badge> : null}
        </span>
      }
      description={<Facts items={[plan.cycle && <End key="end" plan={plan} />, <Source key="source" plan={plan} />]} />}
      actions={<Actions plan={plan} onTell={onTell} />}
    >
      {plan.models.length === 0 ? (
        <Card>
          <p className={styles.strong}>{t('noModels')}</p>
          <p className={styles.quiet}>{t('noModelsText')}</p>
        </Card>
      ) : (
        <ul className={styles.models} aria-label={t('models', { plan: plan.name })}>
          {plan.models.map((model) => (
            <ModelQuotaRow key={model.modelCode} model={model} renews={renews(plan)} colour={colour(model.modelCode)} />
          ))}
        </ul>
      )}
    </Section>
  )
}

interface ModelQuotaRowProps {
  readonly model: ModelQuota
  /** The cycle is followed by another. */
  readonly renews: boolean
  readonly colour: string
}

/** One model and its two allowances, which have nothing to do with each other. */
function ModelQuotaRow({ model, renews, colour }: ModelQuotaRowProps) {
  // Of a plan that was handed over only the code is known, which need not stand here twice.
  const isNameless = model.displayName === model.modelCode
  return (
    <li className={styles.model}>
      <div className={clsx(styles.who, isNameless && styles.nameless)}>
        <h3 className={styles.name}>
          <span className={styles.hue} style={{ background: colour }} aria-hidden="true" />
          <span className={isNameless ? 'sr-only' : undefined}>{model.displayName}</span>
        </h3>
        <CopyCode code={model.modelCode} />
      </div>
      {allowanceKinds.map((kind) => {
        const gauge = model[kind]
        const allowance = allowanceIn(gauge, kind)
        return allowance ? (
          <AllowanceGauge
            key={kind}
            allowance={allowance}
            model={model.displayName}
            pace={gauge.evenPace}
            forecast={gauge.forecast}
            renews={renews}
          />
        ) : (
          <UnknownGauge key={kind} kind={kind} used={gauge.used} />
        )
      })}
    </li>
  )
}

/** Asks every console at once for what is left. */
export function RefreshQuotaButton() {
  const { t } = useTranslation('quota')
  const refreshing = useRefreshQuota()
  return (
    <IconButton
      icon={RefreshCw}
      label={t('refresh')}
      busy={refreshing.isPending}
      onClick={() => refreshing.mutate({})}
    />
  )
}

/** Forecasts move slowly; the console is asked for each plan, so not more often than this. */
const refreshMs = 5 * 60_000

/** What is left of every plan, the tightest first. */
export const useQuota = () => useCall('quota.list', {}, { staleTime: 60_000, refetchInterval: refreshMs })

/** Asks every console anew, however short ago it answered. */
function useRefreshQuota() {
  const queries = useQueryClient()
  return useAction('quota.refresh', {
    onSuccess: (plans) => {
      queries.setQueryData(callKey('quota.list', {}), plans)
    },
  })
}

/** The allowances of one plan, by its id at the account or on this machine; nothing while they are not known. */
export function usePlanQuota(planId: string): PlanQuota | undefined {
  const { data } = useQuota()
  return data?.find((plan) => plan.origin?.planId === planId || plan.planId === planId)
}

/** The allowances of one model of a plan. */
export const modelIn = (plan: PlanQuota | undefined, modelCode: string): ModelQuota | undefined =>
  plan?.models.find((model) => model.modelCode === modelCode)

/** Whether the cycle is known to be followed by another. */
const renews = (plan: Pick<PlanQuota, 'cycle'> | undefined): boolean => plan?.cycle?.autoRenew === true
