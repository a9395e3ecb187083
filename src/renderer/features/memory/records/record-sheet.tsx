import { useTranslation } from 'react-i18next'
import { Button, ButtonLink } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { FieldsView } from '../../resources/fields-view'
import type { Json } from '../../resources/resource'
import styles from '../memory.module.css'
import { contentOf, sessionOf } from '../names'
import type { OpenMemory } from '../open-memory'
import { eventsPath } from '../paths'

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
