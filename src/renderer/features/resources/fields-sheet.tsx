import type { HeldSecret, KeptSecret } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { FieldsView } from './fields-view'
import type { Subject } from './resource'

interface FieldsSheetProps {
  readonly subject: Subject
  readonly connectionId: string
  readonly secrets?: readonly HeldSecret[]
  readonly secretKind?: KeptSecret['kind'] | undefined
  readonly onClose: () => void
}

/** All fields of a row, as the list told them: for what has no page of its own. */
export function FieldsSheet({ subject, connectionId, secrets = [], secretKind = 'token', onClose }: FieldsSheetProps) {
  const { t } = useTranslation(['resources', 'common'])
  const name = subject.name === '' ? t('resources:unnamed') : subject.name
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={name}
      footer={<Button onClick={onClose}>{t('common:close')}</Button>}
    >
      <FieldsView data={subject.row} keepAs={{ kind: secretKind, name }} {...{ connectionId, secrets }} />
    </Sheet>
  )
}
