import type { AddressView, Standard } from '@shared/contract'
import { ArrowRight, WandSparkles } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import styles from './address-reading.module.css'

const standards: readonly Standard[] = ['chat-completions', 'messages']

/** What was put right in an address, each in words; nothing when it was right as it came. */
export function Corrections({ address }: { address: AddressView }) {
  const { t } = useTranslation('plans')
  const corrections = [...new Set(address.corrections)]
  if (corrections.length === 0) return null
  return (
    <p className={styles.corrections}>
      <WandSparkles size={14} strokeWidth={1.8} aria-hidden="true" />
      <span>
        {t('address.corrected')}: {corrections.map((one) => t(`address.corrections.${one}`)).join(', ')}.{' '}
        {t('address.becomes')} <code className={styles.url}>{address.url}</code>
      </span>
    </p>
  )
}

/** What tools of each standard get from a gateway address, and what they then call. */
export function StandardAddresses({ address }: { address: AddressView }) {
  const { t } = useTranslation('plans')
  return (
    <ul className={styles.standards} aria-label={t('address.tools')}>
      {standards.map((standard) => {
        const name = t(`address.standards.${standard}`)
        const base = address.bases[standard]
        const request = address.requests[standard]
        return (
          <li key={standard} className={styles.standard}>
            <span className={styles.name}>{name}</span>
            <span className={styles.cell}>
              <span className="sr-only">{t('address.base')}</span>
              <code className={styles.url}>{base}</code>
              <CopyText text={base} label={t('address.copyBase', { standard: name })} />
            </span>
            <ArrowRight size={14} className={styles.arrow} aria-hidden="true" />
            <span className={styles.cell}>
              <span className="sr-only">{t('address.request')}</span>
              <code className={styles.url}>
                {request.startsWith(base) ? base : request}
                <b>{request.startsWith(base) ? request.slice(base.length) : ''}</b>
              </code>
              <CopyText text={request} label={t('address.copyRequest', { standard: name })} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
