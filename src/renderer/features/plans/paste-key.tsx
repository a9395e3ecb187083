import type { PendingKeyView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { PasteBox } from '../../ui/paste-box'
import { ExplainedFailure } from '../failures/explained-failure'

interface PasteKeyProps {
  readonly pending: PendingKeyView | undefined
  readonly onTaken: (pending: PendingKeyView) => void
  /** So that a remedy can lead here. */
  readonly buttonId?: string
  /** Where taking a key is the one thing to do. */
  readonly autoFocus?: boolean
}

/** Takes a key from the clipboard through main. The window sees the masked form only. */
export function PasteKey({ pending, onTaken, buttonId, autoFocus = false }: PasteKeyProps) {
  const { t } = useTranslation('plans')
  const taking = useAction('plans.takeKeyFromClipboard', { onSuccess: onTaken })
  const take = (): void => {
    if (!taking.isPending) taking.mutate({})
  }
  return (
    <PasteBox
      label={t('paste.label')}
      state={pending ? 'held' : 'open'}
      masked={pending?.masked}
      how={t(pending ? 'paste.held' : 'paste.how')}
      keysHint={t('paste.keys')}
      button={t(pending ? 'paste.replace' : 'paste.button')}
      taken={t('paste.taken', { masked: pending?.masked })}
      busy={taking.isPending}
      onTake={take}
      buttonId={buttonId}
      autoFocus={autoFocus}
    >
      {taking.error ? (
        <ExplainedFailure failure={taking.error.failure} tone="warning" handlers={{ pasteKey: take }} />
      ) : null}
    </PasteBox>
  )
}
