import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { IconButton } from '../../ui/icon-button'
import type { SavedConnection } from './connection-sheet'

/** Tells that a connection was saved, and every correction that was made to it. */
export function SavedNotice({ saved, onClose }: { readonly saved: SavedConnection; readonly onClose: () => void }) {
  const { t } = useTranslation(['connections', 'common'])
  const fields = [...new Set(saved.corrections.map(({ field }) => field))]
  const wordsFor = (field: (typeof fields)[number]): string =>
    saved.corrections
      .filter((correction) => correction.field === field)
      .map(({ correction }) => t(`corrections.${correction}`))
      .join(', ')
  return (
    <div role="status">
      <Callout
        tone={fields.length > 0 ? 'info' : 'success'}
        title={t('saved', { name: saved.connection.name })}
        actions={<IconButton icon={X} size="sm" label={t('common:close')} onClick={onClose} />}
      >
        {fields.length === 0 ? (
          t('savedRight')
        ) : (
          <ul>
            {fields.map((field) => (
              <li key={field}>{t('corrected', { what: `${t(`addresses.${field}.name`)} (${wordsFor(field)})` })}</li>
            ))}
          </ul>
        )}
      </Callout>
    </div>
  )
}
