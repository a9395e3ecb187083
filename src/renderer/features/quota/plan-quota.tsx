import type { PlanQuota } from '@shared/contract'
import { ChartColumn, PencilLine } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { useNow } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Card, Section } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import { endWords } from '../plans/end-of-plan'
import { planPath } from '../plans/use-plan-menu'
import { figuresPath } from '../usage/paths'
import { ModelQuotaRow } from './model-quota'
import styles from './quota.module.css'
import { renews } from './use-quota'

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
export function PlanQuotaSection({ plan, colour, onTell }: PlanQuotaSectionProps) {
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
