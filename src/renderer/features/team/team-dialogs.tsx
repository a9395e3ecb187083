import type { PendingKeyView, TeamInvitationView } from '@shared/contract'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { Field, TextField } from '../../ui/field'
import { PasteBox } from '../../ui/paste-box'
import { KeyValue, type KeyValueItem } from '../../ui/rows'
import { closeWithToast } from '../../ui/toast'

interface DialogProps {
  readonly onClose: () => void
}

function useTexts<Name extends string>(initial: Readonly<Record<Name, string>>) {
  const [values, setValues] = useState(initial)
  const bind = (name: Name) => ({
    required: true,
    maxLength: 100,
    value: values[name],
    onChange: (text: string) => setValues({ ...values, [name]: text }),
  })
  return { values, bind, isComplete: Object.keys(initial).every((name) => values[name as Name].trim() !== '') }
}

/** Button that pastes a password. The main process reads it from the clipboard, and the window shows no part of it. */
function usePassword() {
  const { t } = useTranslation('team')
  const [pending, setPending] = useState<PendingKeyView>()
  const readPassword = useAction('connections.takeSecretFromClipboard', { onSuccess: setPending })
  const passwordBox = (
    <PasteBox
      label={t('password.label')}
      masked={pending && '••••••••'}
      how={t(pending ? 'password.taken' : 'password.how')}
      button={t('password.paste')}
      busy={readPassword.isPending}
      onTake={() => readPassword.mutate({ kind: 'client-credentials' })}
    >
      <ExplainedFailure failure={readPassword.error?.failure} />
    </PasteBox>
  )
  return { pendingId: pending?.pendingId ?? '', passwordBox }
}

export function SignInDetails({
  personName,
  address,
  fingerprint,
  items = [],
}: Pick<TeamInvitationView, 'personName' | 'address' | 'fingerprint'> & { readonly items?: readonly KeyValueItem[] }) {
  const { t } = useTranslation('team')
  return (
    <KeyValue
      items={[
        { label: t('connection.you'), value: personName },
        { label: t('connection.address'), value: <Code wrap>{address}</Code> },
        fingerprint !== undefined && { label: t('connection.certificate'), value: <Code wrap>{fingerprint}</Code> },
        ...items,
      ]}
    />
  )
}

export function CreateDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const { values, bind, isComplete } = useTexts({ spaceName: '', personName: '', address: '' })
  const { pendingId, passwordBox } = usePassword()
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
      <TextField label={t('create.name')} autoFocus {...bind('spaceName')} />
      <TextField label={t('create.person')} hint={t('create.personHint')} {...bind('personName')} />
      <TextField
        label={t('create.address')}
        hint={t('create.addressHint')}
        error={concernsAddress ? t('create.addressError') : undefined}
        mono
        placeholder="postgres://anna@db.example.com:5432/team"
        {...bind('address')}
        maxLength={2000}
      />
      <Field label={t('create.ca')} hint={t('create.caHint')} optional>
        <div className="flex flex-wrap items-center gap-2">
          <Button size="sm" icon={FileUp} busy={certificates.isPending} onClick={() => certificates.mutate({})}>
            {t('create.chooseCa')}
          </Button>
          {fingerprint === undefined ? null : <Code wrap>{fingerprint}</Code>}
        </div>
        <ExplainedFailure failure={certificates.error?.failure} />
      </Field>
      {passwordBox}
      <ExplainedFailure failure={concernsAddress ? undefined : failure} />
    </Dialog>
  )
}

export function JoinDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const { pendingId, passwordBox } = usePassword()
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
          {passwordBox}
        </>
      ) : null}
      <ExplainedFailure failure={failure} />
    </Dialog>
  )
}

export function InviteDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const { values, bind, isComplete } = useTexts({ personName: '', user: '' })
  const inviteLead = useAction('team.invite', {
    invalidates: ['team'],
    onSuccess: ({ path }) => {
      if (path !== undefined) closeWithToast(onClose, t('invite.saved', { who: values.personName.trim(), path }))
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
      <TextField label={t('invite.person')} autoFocus {...bind('personName')} />
      <TextField label={t('invite.user')} hint={t('invite.userHint')} mono {...bind('user')} maxLength={63} />
      <ExplainedFailure failure={inviteLead.error?.failure} />
    </Dialog>
  )
}

export function PasswordDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const { pendingId, passwordBox } = usePassword()
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
      {passwordBox}
      <ExplainedFailure failure={changePassword.error?.failure} />
    </Dialog>
  )
}
