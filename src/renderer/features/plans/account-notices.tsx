import type { AccountPlanView } from '@shared/contract'
import { Repeat2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { nowThere, useNow } from '../../relative-time'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ProgressBar } from '../../ui/spinner'
import styles from './account-plan.module.css'
import { endWords } from './end-of-plan'

/** What has to be known about a plan before anything else: it is being provisioned, it ended, or it is not being renewed. */
export function AccountNotices({
  plan,
  onBuyAgain,
}: {
  readonly plan: AccountPlanView
  readonly onBuyAgain: () => void
}) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const { relative, money } = formats
  const now = nowThere(useNow(), plan)
  const when = (iso: string): string => relative(iso, now).short
  if (plan.status === 'EXPIRED') {
    return (
      <Callout
        tone="danger"
        title={t('account.page.expired')}
        actions={
          <Button size="sm" icon={Repeat2} onClick={onBuyAgain}>
            {t('account.buyAgain')}
          </Button>
        }
      >
        {t('account.page.expiredText', {
          when: endWords({ expiresAt: plan.expiresAt, isExpired: true }, formats, now).short,
        })}
      </Callout>
    )
  }
  if (plan.renewal) {
    const { failedAttempts, nextAttemptAt } = plan.renewal
    return (
      <Callout tone="danger" title={t('account.page.renewalFailing')}>
        {t('account.page.renewalFailingText', { count: failedAttempts, price: money(plan.total) })}{' '}
        {nextAttemptAt ? t('account.page.nextAttempt', { when: when(nextAttemptAt) }) : null}
      </Callout>
    )
  }
  if (plan.provisioned) return null
  return (
    <Callout tone="info" title={t('account.page.provisioning')}>
      <p>{t('account.page.provisioningText')}</p>
      <div className={styles.progress}>
        <ProgressBar label={t('account.page.provisioning')} />
      </div>
    </Callout>
  )
}
