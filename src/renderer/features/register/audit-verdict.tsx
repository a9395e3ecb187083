import type { AuditVerdict } from '@shared/contract'
import { ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import styles from './register.module.css'

function Verdict({ verdict, again }: { readonly verdict: AuditVerdict; readonly again: ReactNode }) {
  const { t } = useTranslation('register')
  const { isWhole, count, brokenAt: number, reason } = verdict
  if (isWhole) {
    return (
      <div className={styles.whole}>
        <ShieldCheck size={18} strokeWidth={1.8} className={styles.good} aria-hidden="true" />
        <p>
          <strong>{t('audit.whole', { count })}</strong> {t('audit.wholeText')}
        </p>
        {again}
      </div>
    )
  }
  return (
    <Callout
      tone="danger"
      title={number === undefined ? t('audit.brokenTitlePlain') : t('audit.brokenTitle', { number })}
      actions={again}
    >
      {reason ? <p>{t(`audit.reasons.${reason}`)}</p> : null}
      <p>{t('audit.brokenText')}</p>
    </Callout>
  )
}

/** Says whether a line of the trail was changed, taken out or moved since it was written. */
export function AuditVerdictNotice() {
  const { t } = useTranslation('register')
  const query = useCall('audit.verify', {}, { staleTime: 0 })
  return (
    <Loaded
      query={query}
      skeleton={
        <Card>
          <p role="status">
            <span className="sr-only">{t('audit.checking')}</span>
            <Skeleton width={260} />
          </p>
        </Card>
      }
    >
      {(verdict) => (
        <Verdict
          verdict={verdict}
          again={
            <Button size="sm" busy={query.isFetching} onClick={() => void query.refetch()}>
              {t('audit.check')}
            </Button>
          }
        />
      )}
    </Loaded>
  )
}
