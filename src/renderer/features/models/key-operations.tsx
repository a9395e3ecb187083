import { useTranslation } from 'react-i18next'
import { OperationRow } from '../operations/operation-row'
import styles from './models.module.css'
import { useFollowedKeys } from './use-followed-keys'

/** Keys that are being made or deleted, and those that came to an end lately. */
export function KeyOperations({ connectionId }: { readonly connectionId: string }) {
  const { t } = useTranslation('operations')
  const followed = useFollowedKeys(connectionId)
  if (followed.length === 0) return null
  return (
    <ul className={styles.operations} aria-label={t('list')}>
      {followed.map((one) => (
        <OperationRow key={one.id} operation={one} />
      ))}
    </ul>
  )
}
