import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import styles from './request-address.module.css'

interface RequestAddressProps {
  readonly tool: string
  readonly requestAddress: string
  readonly base?: string | undefined
  /** Whether the tool will call it, calls it, or was once set up to. */
  readonly when?: 'title' | 'now' | 'once'
}

/** The full address that a tool calls, with the part that it appends itself set apart. */
export function RequestAddress({ tool, requestAddress, base, when = 'title' }: RequestAddressProps) {
  const { t } = useTranslation('tools')
  const isPrefix = base !== undefined && requestAddress.startsWith(base)
  const rest = isPrefix ? requestAddress.slice(base.length) : ''
  return (
    <section className={styles.box} aria-label={t('requestAddress')}>
      <p className={styles.label}>{t(`address.${when}`, { tool })}</p>
      <p className={styles.line}>
        <span className={styles.verb}>POST</span>
        <span className={styles.address}>
          {isPrefix ? base : requestAddress}
          <span className={styles.rest}>{rest}</span>
        </span>
        <CopyText text={requestAddress} label={t('address.copy')} />
      </p>
      {isPrefix && rest !== '' ? (
        <p className={styles.how}>
          {t('address.base')}: <code>{base}</code> · {t('address.adds', { tool, rest })}
        </p>
      ) : null}
    </section>
  )
}
