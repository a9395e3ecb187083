import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { eventsPath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import type { Json } from '../resources'
import { FieldsView } from '../resources'
import styles from './memory.module.css'
import { contentOf, type OpenMemory, sessionOf } from './names'

interface RecordSheetProps extends OpenMemory {
  readonly record: Json
  readonly onClose: () => void
}

/** A record with every field of it, and the way to the session it was made from when it says which. */
export function RecordSheet({ connection, memoryId, record, onClose }: RecordSheetProps) {
  const { t } = useTranslation(['memory', 'common'])
  const session = sessionOf(record)
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('memory:records.one')}
      footer={
        <>
          {session ? <ButtonLink to={eventsPath(memoryId, session)}>{t('memory:records.toSession')}</ButtonLink> : null}
          <Button onClick={onClose}>{t('common:close')}</Button>
        </>
      }
    >
      <div className={styles.sheet}>
        <p className={styles.quote}>{contentOf(record)}</p>
        {session ? null : <p className={styles.quiet}>{t('memory:records.noSession')}</p>}
        <FieldsView data={record} secrets={[]} connectionId={connection.id} keepAs={{ kind: 'token', name: '' }} />
      </div>
    </Sheet>
  )
}

/** Writes records into a file that one chooses, and says so. */
export function useExport() {
  const { t } = useTranslation('memory')
  const words = useFailureWords()
  return useAction('resources.export', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('export.done'), { description: path })
    },
    onError: ({ failure }) => void toast(words(failure).title, { tone: 'danger' }),
  })
}
