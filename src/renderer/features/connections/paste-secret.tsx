import type { ConnectionView, PendingKeyView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Callout } from '../../ui/callout'
import { PasteBox } from '../../ui/paste-box'
import { ExplainedFailure } from '../failures/explained-failure'

interface PasteSecretProps {
  readonly kind: 'client-credentials' | 'pasted'
  readonly pending: PendingKeyView | undefined
  /** Where one is stored already. */
  readonly stored?: ConnectionView['secret'] | undefined
  readonly onTaken: (pending: PendingKeyView) => void
  /** What main said about the secret when it was to be saved. */
  readonly failure?: Failure | undefined
  readonly buttonId?: string
  readonly autoFocus?: boolean
}

/** Why nothing could be taken or stored, in the words of secrets rather than of plan keys. */
function Problem({ failure }: { readonly failure: Failure }) {
  const { t } = useTranslation('connections')
  if (failure.code === 'clipboard.noKey') {
    return (
      <div role="alert">
        <Callout tone="warning" title={t('secret.noneTitle')}>
          {t('secret.noneText')}
        </Callout>
      </div>
    )
  }
  if (failure.code === 'key.notFound') {
    return (
      <Callout tone="danger" title={t('secret.goneTitle')}>
        {t('secret.goneText')}
      </Callout>
    )
  }
  return <ExplainedFailure failure={failure} />
}

/** Takes a secret or a token from the clipboard through main: by the button, or by the paste keys while it has the focus. */
export function PasteSecret({ kind, pending, stored, onTaken, failure, buttonId, autoFocus }: PasteSecretProps) {
  const { t } = useTranslation('connections')
  const taking = useAction('connections.takeSecretFromClipboard', { onSuccess: onTaken })
  const take = (): void => {
    if (!taking.isPending) taking.mutate({ kind })
  }
  const kept = stored === 'keychain' || stored === 'session' ? stored : undefined
  const problem = taking.error?.failure ?? (pending ? undefined : failure)
  const isHeld = pending !== undefined || kept !== undefined
  return (
    <PasteBox
      label={t(kind === 'pasted' ? 'secret.tokenLabel' : 'secret.secretLabel')}
      state={!isHeld ? 'open' : !pending && kept === 'session' ? 'session' : 'held'}
      masked={pending?.masked}
      how={t(`secret.${pending ? 'pending' : (kept ?? 'copyFirst')}`)}
      keysHint={t('secret.keys')}
      button={t(isHeld ? 'secret.replace' : 'secret.paste')}
      taken={t('secret.taken', { masked: pending?.masked })}
      busy={taking.isPending}
      onTake={take}
      buttonId={buttonId}
      autoFocus={autoFocus}
    >
      {problem ? <Problem failure={problem} /> : null}
    </PasteBox>
  )
}
