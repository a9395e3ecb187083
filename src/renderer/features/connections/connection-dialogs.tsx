import type { ConnectionView, PendingKeyView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import i18next from 'i18next'
import { Check, ClipboardPaste } from 'lucide-react'
import { useState } from 'react'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { ConfirmDialog, Dialog } from '../../ui/dialog'
import { PasteBox } from '../../ui/paste-box'
import { closeWithToast } from '../../ui/toast'
import { secretKind, shownAddresses, toConnectionInput, toEntries, toFieldName } from './entries'
import { formatOperation } from './operations'
import { clearTests, storeDraft } from './tests-and-drafts'

const t = i18next.getFixedT(null, 'connections')

/** Dialogs of a connection, and actions that open them. Render `dialogs` once. */
export function useConnectionDialogs(connection: ConnectionView, onRemoved?: () => void) {
  const [dialog, setDialog] = useState<'secret' | 'remove'>()
  const props = { connection, onClose: () => setDialog(undefined) }
  return {
    paste: {
      label: t(secretKind(connection) === 'pasted' ? 'secret.pasteToken' : 'secret.pasteSecret'),
      icon: ClipboardPaste,
      onClick: () => setDialog('secret'),
    },
    remove: () => setDialog('remove'),
    dialogs: (
      <>
        {dialog === 'secret' ? <SecretDialog {...props} /> : null}
        {dialog === 'remove' ? <RemoveDialog {...props} onRemoved={onRemoved} /> : null}
      </>
    ),
  }
}

export type PasteAction = ReturnType<typeof useConnectionDialogs>['paste']

/** Badges for the active and the built-in connection. */
export function ConnectionBadges({ connection: { isActive, isBuiltIn } }: { readonly connection: ConnectionView }) {
  return (
    <>
      {isActive ? (
        <Badge tone="accent" icon={Check}>
          {t('inUse')}
        </Badge>
      ) : null}
      {isBuiltIn ? <Badge>{t('builtIn')}</Badge> : null}
    </>
  )
}

interface DialogProps {
  readonly connection: ConnectionView
  readonly onClose: () => void
}

function SecretDialog({ connection, onClose }: DialogProps) {
  const [pending, setPending] = useState<PendingKeyView>()
  const { id, name } = connection
  const kind = secretKind(connection) ?? 'client-credentials'
  const isToken = kind === 'pasted'
  const saveConnection = useAction('connections.save', {
    invalidates: ['connections'],
    onSuccess: () => {
      clearTests(id)
      closeWithToast(onClose, t(isToken ? 'secret.storedToken' : 'secret.stored', { name }))
    },
    onError: ({ failure }) => {
      if (toFieldName(failure.field) === 'secret') setPending(undefined)
    },
  })
  const store = (): void => saveConnection.mutate(toConnectionInput({ ...toEntries(connection), pending }, id))
  const failure = saveConnection.error?.failure
  const concernsSecret = toFieldName(failure?.field) === 'secret'
  return (
    <Dialog
      onClose={onClose}
      title={t(isToken ? 'secret.dialogToken' : 'secret.dialogSecret', { name })}
      description={t('secret.dialogText')}
      busy={saveConnection.isPending}
      action={{ label: t('secret.store'), disabled: !pending, onClick: store }}
    >
      <PasteSecret
        kind={kind}
        pending={pending}
        failure={concernsSecret ? failure : undefined}
        onTaken={setPending}
        autoFocus
      />
      {failure && !concernsSecret ? <ExplainedFailure failure={failure} context={{ plan: name }} /> : null}
    </Dialog>
  )
}

interface PasteSecretProps {
  readonly kind: 'client-credentials' | 'pasted'
  readonly pending: PendingKeyView | undefined
  readonly stored?: ConnectionView['secret'] | undefined
  readonly onTaken: (pending: PendingKeyView) => void
  readonly failure?: Failure | undefined
  readonly autoFocus?: boolean
}

/** Explains why a secret could not be pasted. The general failure text is about plan keys. */
function Problem({ failure }: { readonly failure: Failure }) {
  const isEmpty = failure.code === 'clipboard.noKey'
  if (!isEmpty && failure.code !== 'key.notFound') return <ExplainedFailure failure={failure} />
  return (
    <div role={isEmpty ? 'alert' : undefined}>
      <Callout tone={isEmpty ? 'warning' : 'danger'} title={t(isEmpty ? 'secret.noneTitle' : 'secret.goneTitle')}>
        {t(isEmpty ? 'secret.noneText' : 'secret.goneText')}
      </Callout>
    </div>
  )
}

/** Pastes a secret, which the main process reads from the clipboard. */
export function PasteSecret({ kind, pending, stored, onTaken, failure, autoFocus }: PasteSecretProps) {
  const readSecret = useAction('connections.takeSecretFromClipboard', { onSuccess: onTaken })
  const secretStorage = stored === 'keychain' || stored === 'session' ? stored : undefined
  const problem = readSecret.error?.failure ?? (pending ? undefined : failure)
  return (
    <PasteBox
      label={t(kind === 'pasted' ? 'secret.tokenLabel' : 'secret.secretLabel')}
      masked={pending?.masked}
      stored={secretStorage}
      how={t(`secret.${pending ? 'pending' : (secretStorage ?? 'copyFirst')}`)}
      button={t('secret.paste')}
      busy={readSecret.isPending}
      onTake={() => readSecret.mutate({ kind })}
      autoFocus={autoFocus}
    >
      {problem ? <Problem failure={problem} /> : null}
    </PasteBox>
  )
}

const secretColours = { keychain: undefined, session: 'text-warning', missing: 'font-medium text-danger' } as const

/** Shows where the connection's secret is stored. Renders nothing if the sign-in method needs none. */
export function SecretState({ connection }: { readonly connection: ConnectionView }) {
  const kind = secretKind(connection)
  if (kind === undefined || connection.secret === 'none') return null
  return <span className={secretColours[connection.secret]}>{t(`kept.${kind}.${connection.secret}`)}</span>
}

/** Confirms removal. For the active connection the user types the name. */
function RemoveDialog({ connection, onClose, onRemoved }: DialogProps & { onRemoved: (() => void) | undefined }) {
  const { data: operations = [] } = useCall('operations.list', {})
  const { id, name, isActive, secret, tokenSource } = connection
  const count = shownAddresses.filter((key) => connection.addresses[key]).length
  const kind = secretKind(connection) === 'pasted' ? 'token' : 'secret'
  const losses = [
    count === 0 ? t('remove.noAddresses') : t('remove.addresses', { count }),
    ...(tokenSource ? [t('remove.signIn')] : []),
    ...(secret === 'keychain' ? [t(`remove.${kind}`)] : secret === 'session' ? [t(`remove.${kind}Session`)] : []),
    ...(isActive ? [t('remove.active')] : []),
    ...operations
      .filter(({ connectionId, state }) => connectionId === id && state === 'running')
      .map((operation) => t('remove.operation', { what: formatOperation(operation) })),
  ]
  const remove = useAction('connections.remove', {
    invalidates: ['connections', 'operations'],
    onSuccess: () => {
      clearTests(id)
      storeDraft(id, undefined)
      closeWithToast(onClose, t('remove.done', { name }))
      onRemoved?.()
    },
  })
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t('remove.title', { name })}
      description={
        <div className="flex flex-col gap-2">
          <p>{t('remove.text')}</p>
          <ul className="list-disc pl-4.5 text-text">
            {losses.map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
          <p>{t('remove.stays')}</p>
        </div>
      }
      confirmLabel={t('remove.confirm')}
      {...(isActive ? { typeToConfirm: name } : {})}
      mutation={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  )
}
