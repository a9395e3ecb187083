import type { AccountPlanView, MethodOutput } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { Callout } from '../../ui/callout'
import styles from './deletion.module.css'

interface OutcomeProps {
  readonly outcome: MethodOutput<'account.deletePlans'>
  /** What was to be deleted, for their names. */
  readonly plans: readonly AccountPlanView[]
  /** VND that came back for those that are deleted, when the platform said it. */
  readonly refund: number | undefined
}

/** What became of a deletion that did not go as asked: what is gone, what is still there and why. */
export function DeletionOutcome({ outcome, plans, refund }: OutcomeProps) {
  const { t } = useTranslation('plans')
  const { money, locale } = useFormats()
  const words = useFailureWords()
  const { deleted, failed, notForgotten } = outcome
  const nameOf = (id: string): string => plans.find(({ planId }) => planId === id)?.name ?? id
  return (
    <div className={styles.question}>
      <Callout tone="warning" title={t(failed.length > 0 ? 'account.deletion.partly' : 'account.deletion.left')}>
        {refund === undefined
          ? t('account.deletion.partlyUnknown', { count: deleted.length })
          : t('account.deletion.partlyText', { count: deleted.length, amount: money(refund) })}
      </Callout>
      {failed.length === 0 ? null : (
        <ul className={styles.plans} aria-label={t('account.deletion.failed')}>
          {failed.map(({ planId, code, message }) => {
            const { title, remedy } = words({ code, message }, { plan: nameOf(planId) })
            return (
              <li key={planId} className={styles.plan}>
                <div className={styles.head}>
                  <span className={styles.name}>{nameOf(planId)}</span>
                </div>
                <p className={styles.stops} title={message}>
                  {title}. {remedy}
                </p>
              </li>
            )
          })}
        </ul>
      )}
      {notForgotten.length === 0 ? null : (
        <p className={styles.tools}>
          {t('account.deletion.notForgotten', { names: new Intl.ListFormat(locale).format(notForgotten) })}
        </p>
      )}
    </div>
  )
}
