import type { ConnectionDraft } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import styles from './connections.module.css'

/** Everything that was put right on entry, one line for each address. */
export function Corrections({ corrections }: { readonly corrections: ConnectionDraft['corrections'] }) {
  const { t } = useTranslation('connections')
  const fields = [...new Set(corrections.map(({ field }) => field))]
  const wordsFor = (of: (typeof fields)[number]): string =>
    corrections
      .filter(({ field }) => field === of)
      .map(({ correction }) => t(`corrections.${correction}`))
      .join(', ')
  return (
    <ul className={styles.corrections}>
      {fields.map((field) => (
        <li key={field}>{t('corrected', { what: `${t(`addresses.${field}.name`)} (${wordsFor(field)})` })}</li>
      ))}
    </ul>
  )
}
