import type { RegisterEntry } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../relative-time'
import { StatusDot } from '../../ui/badge'
import { KeyValue } from '../../ui/key-value'
import { Card } from '../../ui/page'
import styles from './register.module.css'
import { statusTones } from './register-cells'

/** Everything the register knows about a key. */
export function KeyFacts({ entry }: { readonly entry: RegisterEntry }) {
  const { t } = useTranslation('register', { keyPrefix: 'sheet' })
  const { t: tRegister } = useTranslation('register')
  const { planName, masked, status, tools, alsoServes } = entry
  const moment = (at: string | undefined) => (at === undefined ? t('never') : <RelativeTime at={at} />)
  return (
    <Card>
      <KeyValue
        items={[
          { label: t('fields.plan'), value: planName },
          ...(masked === undefined ? [] : [{ label: t('fields.key'), value: <code>{masked}</code> }]),
          {
            label: t('fields.status'),
            value: <StatusDot tone={statusTones[status]} label={tRegister(`statuses.${status}`)} />,
          },
          {
            label: t('fields.created'),
            value: entry.createdAt === undefined ? tRegister('unknownTime') : moment(entry.createdAt),
          },
          { label: t('fields.handedOut'), value: moment(entry.handedOutAt) },
          { label: t('fields.acknowledged'), value: moment(entry.acknowledgedAt) },
          { label: t('fields.rotated'), value: moment(entry.rotatedAt) },
          {
            label: t('fields.lastUsed'),
            value: (
              <>
                {moment(entry.lastUsedAt)}
                <span className={styles.aside}>{t('lastUsedHint')}</span>
              </>
            ),
          },
          { label: t('fields.tools'), value: tools.length === 0 ? t('none') : tools.join(', ') },
          ...(alsoServes.length === 0 ? [] : [{ label: t('fields.serves'), value: alsoServes.join(', ') }]),
        ]}
      />
    </Card>
  )
}
