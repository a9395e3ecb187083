import type { PendingKeyView, TeamInvitationView } from '@shared/contract'
import { FileUp } from 'lucide-react'
import { type ChangeEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { PasteBox } from '../../ui/paste-box'
import { KeyValue, type KeyValueItem } from '../../ui/rows'
import { toast } from '../../ui/toast'

interface DialogProps {
  readonly onClose: () => void
}

/** Values of required text fields, and the properties of a field's input. */
function useTexts<Name extends string>(initial: Readonly<Record<Name, string>>) {
  const [values, setValues] = useState(initial)
  const bind = (name: Name) => ({
    maxLength: 100,
    value: values[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => setValues({ ...values, [name]: target.value }),
  })
  return { values, bind, isComplete: Object.keys(initial).every((name) => values[name as Name].trim() !== '') }
}

/** Button that pastes a password. The main process reads it from the clipboard, and the window shows no part of it. */
function Password({
  isTaken,
  onTaken,
}: {
  readonly isTaken: boolean
  readonly onTaken: (key: PendingKeyView) => void
}) {
  const { t } = useTranslation('team')
  const readPassword = useAction('connections.takeSecretFromClipboard', { onSuccess: onTaken })
  return (
    <PasteBox
      label={t('password.label')}
      masked={isTaken ? '••••••••' : undefined}
      how={t(isTaken ? 'password.taken' : 'password.how')}
      button={t('password.paste')}
      busy={readPassword.isPending}
      onTake={() => readPassword.mutate({ kind: 'client-credentials' })}
    >
      {readPassword.error ? <ExplainedFailure failure={readPassword.error.failure} /> : null}
    </PasteBox>
  )
}

/** Lead and database of a space or an invitation. */
export function SignInDetails({
  personName,
  address,
  fingerprint,
  items = [],
}: Pick<TeamInvitationView, 'personName' | 'address' | 'fingerprint'> & { readonly items?: readonly KeyValueItem[] }) {
  const { t } = useTranslation('team')
  const certificate = { label: t('connection.certificate'), value: <Code wrap>{fingerprint}</Code> }
  return (
    <KeyValue
      items={[
        { label: t('connection.you'), value: personName },
        { label: t('connection.address'), value: <Code wrap>{address}</Code> },
        ...(fingerprint === undefined ? [] : [certificate]),
        ...items,
      ]}
    />
  )
}

export function CreateDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const { values, bind, isComplete } = useTexts({ spaceName: '', personName: '', address: '' })
  const [{ pendingId } = { pendingId: '' }, setPending] = useState<PendingKeyView>()
  const certificates = useAction('team.chooseCertificates')
  const { certificatesId, fingerprint } = certificates.data ?? {}
  const creation = useAction('team.create', { invalidates: ['team'], onSuccess: onClose })
  const failure = creation.error?.failure
  const concernsAddress = failure?.field === 'address'
  return (
    <Dialog
      title={t('create.title')}
      description={t('create.text')}
      action={{
        label: t('create.action'),
        busy: creation.isPending,
        disabled: !isComplete || pendingId === '',
        onSubmit: () => creation.mutate({ ...values, address: values.address.trim(), pendingId, certificatesId }),
      }}
      onClose={onClose}
    >
      <Field label={t('create.name')} required>
        <TextInput autoFocus {...bind('spaceName')} />
      </Field>
      <Field label={t('create.person')} hint={t('create.personHint')} required>
        <TextInput {...bind('personName')} />
      </Field>
      <Field
        label={t('create.address')}
        hint={t('create.addressHint')}
        error={concernsAddress ? t('create.addressError') : undefined}
        required
      >
        <TextInput mono placeholder="postgres://anna@db.example.com:5432/team" {...bind('address')} maxLength={2000} />
      </Field>
      <Field label={t('create.ca')} hint={t('create.caHint')} optional>
        <div className="flex flex-wrap items-center gap-2">
          <Button size="sm" icon={FileUp} busy={certificates.isPending} onClick={() => certificates.mutate({})}>
            {t('create.chooseCa')}
          </Button>
          {fingerprint === undefined ? null : <Code wrap>{fingerprint}</Code>}
        </div>
        {certificates.error ? <ExplainedFailure failure={certificates.error.failure} /> : null}
      </Field>
      <Password isTaken={pendingId !== ''} onTaken={setPending} />
      {failure && !concernsAddress ? <ExplainedFailure failure={failure} /> : null}
    </Dialog>
  )
}

export function JoinDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const [{ pendingId } = { pendingId: '' }, setPending] = useState<PendingKeyView>()
  const [invitation, setInvitation] = useState<TeamInvitationView>()
  const choice = useAction('team.chooseInvitation', {
    onSuccess: (chosen) => chosen.invitation && setInvitation(chosen.invitation),
  })
  const joinTeam = useAction('team.join', { invalidates: ['team'], onSuccess: onClose })
  const failure = choice.error?.failure ?? joinTeam.error?.failure
  return (
    <Dialog
      title={t('join.title')}
      description={t('join.text')}
      action={{
        label: t('join.action'),
        busy: joinTeam.isPending,
        disabled: invitation === undefined || pendingId === '',
        onSubmit: () => invitation && joinTeam.mutate({ invitationId: invitation.invitationId, pendingId }),
      }}
      onClose={onClose}
    >
      <div>
        <Button icon={FileUp} busy={choice.isPending} onClick={() => choice.mutate({})}>
          {t('join.choose')}
        </Button>
      </div>
      {invitation ? (
        <>
          <SignInDetails {...invitation} items={[{ label: t('title'), value: invitation.spaceName }]} />
          <Password isTaken={pendingId !== ''} onTaken={setPending} />
        </>
      ) : null}
      {failure ? <ExplainedFailure failure={failure} /> : null}
    </Dialog>
  )
}

/** Makes a database user a lead and saves the invitation. */
export function InviteDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const { values, bind, isComplete } = useTexts({ personName: '', user: '' })
  const inviteLead = useAction('team.invite', {
    invalidates: ['team'],
    onSuccess: ({ path }) => {
      if (path === undefined) return
      void toast(t('invite.saved', { who: values.personName.trim(), path }))
      onClose()
    },
  })
  return (
    <Dialog
      title={t('invite.title')}
      description={t('invite.text')}
      action={{
        label: t('invite.action'),
        busy: inviteLead.isPending,
        disabled: !isComplete,
        onSubmit: () => inviteLead.mutate(values),
      }}
      onClose={onClose}
    >
      <Field label={t('invite.person')} required>
        <TextInput autoFocus {...bind('personName')} />
      </Field>
      <Field label={t('invite.user')} hint={t('invite.userHint')} required>
        <TextInput mono {...bind('user')} maxLength={63} />
      </Field>
      {inviteLead.error ? <ExplainedFailure failure={inviteLead.error.failure} /> : null}
    </Dialog>
  )
}

/** Dialog that saves a new password after the database has accepted it. */
export function PasswordDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const [{ pendingId } = { pendingId: '' }, setPending] = useState<PendingKeyView>()
  const changePassword = useAction('team.changePassword', { invalidates: ['team'], onSuccess: onClose })
  return (
    <Dialog
      title={t('password.change')}
      description={t('password.changeText')}
      action={{
        label: t('password.save'),
        busy: changePassword.isPending,
        disabled: pendingId === '',
        onSubmit: () => changePassword.mutate({ pendingId }),
      }}
      onClose={onClose}
    >
      <Password isTaken={pendingId !== ''} onTaken={setPending} />
      {changePassword.error ? <ExplainedFailure failure={changePassword.error.failure} /> : null}
    </Dialog>
  )
}
