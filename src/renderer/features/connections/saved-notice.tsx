import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { IconButton } from '../../ui/icon-button'
import { Corrections } from './corrections'
import type { SavedConnection } from './use-connection-form'

interface SavedNoticeProps {
  readonly saved: SavedConnection
  readonly onClose: () => void
}

/** Tells that a connection was saved, and every correction that was made to it. */
export function SavedNotice({ saved, onClose }: SavedNoticeProps) {
  const { t } = useTranslation(['connections', 'common'])
  const { connection, corrections } = saved
  return (
    <div role="status">
      <Callout
        tone={corrections.length > 0 ? 'info' : 'success'}
        title={t('saved.title', { name: connection.name })}
        actions={<IconButton icon={X} size="sm" label={t('common:close')} onClick={onClose} />}
      >
        {corrections.length > 0 ? <Corrections corrections={corrections} /> : t('saved.right')}
      </Callout>
    </div>
  )
}
