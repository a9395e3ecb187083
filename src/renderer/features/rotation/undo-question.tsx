import type { RotationView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/dialog'
import { ExplainedFailure } from '../failures/explained-failure'
import type { RotationActions } from './use-rotation-actions'

/** Asks before a rotation is undone: what comes back, and what goes. */
export function UndoQuestion({
  rotation,
  undoing,
  onClose,
}: {
  readonly rotation: RotationView
  readonly undoing: RotationActions['undoing']
  readonly onClose: () => void
}) {
  const { t } = useTranslation('rotation')
  const { id, oldKeyName: key, newKeyName: newKey } = rotation
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('undo.title', { key })}
      description={t('undo.text', { key, newKey })}
      confirmLabel={t('undo.confirm')}
      busy={undoing.isPending}
      onConfirm={() => undoing.mutate({ id }, { onSuccess: onClose })}
    >
      {undoing.error ? <ExplainedFailure failure={undoing.error.failure} /> : null}
    </ConfirmDialog>
  )
}
