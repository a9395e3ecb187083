import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { nowThere } from '../../relative-time'
import { Facts, Row, RowMark } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import { tightestModel } from '../plans/allowance'
import { AllowanceBars } from '../plans/allowance-bars'
import { useAllowanceWords } from '../plans/allowance-words'
import { endWords } from '../plans/end-of-plan'
import { type Entry, standingOf } from '../plans/entries'
import { PlanStanding } from '../plans/plan-standing'
import { planPath } from '../plans/use-plan-menu'
import { tightestOf } from '../quota/gauge-values'
import { GlanceGauges, useGlanceForecast } from '../quota/glance'
import { usePlanQuota } from '../quota/use-quota'
import styles from './home-page.module.css'

type AccountEntry = Extract<Entry, { readonly kind: 'account' }>

function End({ entry, now }: { readonly entry: AccountEntry; readonly now: Date }) {
  const { t } = useTranslation('home')
  const formats = useFormats()
  const { expiresAt, autoRenew, renewal } = entry.plan
  const isOver = standingOf(entry, now) === 'expired'
  const { short, exact } = endWords({ expiresAt, isExpired: isOver }, formats, nowThere(now, entry.plan))
  const verb = isOver ? 'expired' : autoRenew && !renewal ? 'renews' : 'expires'
  return (
    <Tooltip content={exact}>
      <span className={styles.second}>{t(`plans.${verb}`, { when: short })}</span>
    </Tooltip>
  )
}

/** A plan of the account: how it stands, when it ends, and what is left of the model that runs out first. */
export function AccountPlanRow({
  entry,
  now,
  isBesideChecks,
}: {
  readonly entry: AccountEntry
  readonly now: Date
  /** Other rows end in a button: room is left for one, so that all columns stand beneath each other. */
  readonly isBesideChecks: boolean
}) {
  const { t } = useTranslation('home')
  const { plan } = entry
  const quota = usePlanQuota(plan.planId)
  const foreseen = quota && tightestOf(quota)
  const model = foreseen ?? tightestModel(plan.models)
  const standing = standingOf(entry, now)
  const words = useAllowanceWords()
  const forecastOf = useGlanceForecast()
  return (
    <Row
      to={planPath(plan.planId)}
      leading={<RowMark>{plan.name.slice(0, 2).toUpperCase()}</RowMark>}
      title={plan.name}
      description={
        <Facts
          items={[
            plan.planType,
            standing !== 'expired' && model && t('plans.tightest', { model: model.displayName }),
            standing !== 'expired' && forecastOf(foreseen),
          ]}
        />
      }
      trailing={
        <>
          {standing === 'expired' ? null : (
            <div className={styles.left}>
              {foreseen ? (
                <GlanceGauges model={foreseen} words={words} />
              ) : (
                <AllowanceBars models={plan.models} words={words} />
              )}
            </div>
          )}
          <div className={styles.side}>
            <PlanStanding standing={standing} />
            <End entry={entry} now={now} />
          </div>
          {isBesideChecks ? <span className={styles.noButton} /> : null}
        </>
      }
    />
  )
}
