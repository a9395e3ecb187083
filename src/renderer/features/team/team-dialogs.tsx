import type { PendingKeyView, TeamInvitationView } from '@shared/contract'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { PasteBox } from '../../ui/paste-box'
import { KeyValue } from '../../ui/rows'
import { toast } from '../../ui/toast'

interface DialogProps {
  readonly onClose: () => void
}

/** Button that pastes a password. The main process reads it from the clipboard, and the window shows no part of it. */
function Password({
  pending,
  onTaken,
}: {
  readonly pending: PendingKeyView | undefined
  readonly onTaken: (pending: PendingKeyView) => void
}) {
  const { t } = useTranslation('team')
  const readPassword = useAction('connections.takeSecretFromClipboard', { onSuccess: onTaken })
  return (
    <PasteBox
      label={t('password.label')}
      state={pending ? 'held' : 'open'}
      masked={pending ? '••••••••' : undefined}
      how={t(pending ? 'password.taken' : 'password.how')}
      keysHint={t('password.keys')}
      button={t(pending ? 'password.replace' : 'password.paste')}
      taken={t('password.taken')}
      busy={readPassword.isPending}
      onTake={() => readPassword.isPending || readPassword.mutate({ kind: 'client-credentials' })}
    >
      {readPassword.error ? <ExplainedFailure failure={readPassword.error.failure} /> : null}
    </PasteBox>
  )
}

function Certificates({ onChosen }: { readonly onChosen: (id: string | undefined) => void }) {
  const { t } = useTranslation('team')
  const chooseCertsAction = useAction('team.chooseCertificates', {
    onSuccess: ({ certificatesId }) => certificatesId !== undefined && onChosen(certificatesId),
  })
  const fingerprint = chooseCertsAction.data?.fingerprint
  return (
    <Field label={t('create.ca')} hint={t('create.caHint')} optional>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" icon={FileUp} busy={chooseCertsAction.isPending} onClick={() => chooseCertsAction.mutate({})}>
          {t('create.chooseCa')}
        </Button>
        {fingerprint === undefined ? null : <Code wrap>{fingerprint}</Code>}
      </div>
      {chooseCertsAction.error ? <ExplainedFailure failure={chooseCertsAction.error.failure} /> : null}
    </Field>
  )
}

export function CreateDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const [spaceName, setSpaceName] = useState('')
  const [personName, setPersonName] = useState('')
  const [address, setAddress] = useState('')
  const [certificatesId, setCertificatesId] = useState<string>()
  const [pending, setPending] = useState<PendingKeyView>()
  const createTeamAction = useAction('team.create', { invalidates: ['team'], onSuccess: onClose })
  const isComplete = [spaceName, personName, address].every((text) => text.trim() !== '') && pending !== undefined
  const create = (): void => {
    if (pending)
      createTeamAction.mutate({
        spaceName,
        personName,
        address: address.trim(),
        pendingId: pending.pendingId,
        ...(certificatesId !== undefined && { certificatesId }),
      })
  }
  const failure = createTeamAction.error?.failure
  const concernsAddress = failure?.field === 'address'
  return (
    <Dialog
      title={t('create.title')}
      description={t('create.text')}
      action={{ label: t('create.action'), busy: createTeamAction.isPending, disabled: !isComplete, onSubmit: create }}
      onClose={onClose}
    >
      <Field label={t('create.name')} required>
        <TextInput autoFocus maxLength={100} value={spaceName} onChange={(event) => setSpaceName(event.target.value)} />
      </Field>
      <Field label={t('create.person')} hint={t('create.personHint')} required>
        <TextInput maxLength={100} value={personName} onChange={(event) => setPersonName(event.target.value)} />
      </Field>
      <Field
        label={t('create.address')}
        hint={t('create.addressHint')}
        error={concernsAddress ? t('create.addressError') : undefined}
        required
      >
        <TextInput
          mono
          maxLength={2000}
          placeholder="postgres://anna@db.example.com:5432/team"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </Field>
      <Certificates onChosen={setCertificatesId} />
      <Password pending={pending} onTaken={setPending} />
      {failure && !concernsAddress ? <ExplainedFailure failure={failure} /> : null}
    </Dialog>
  )
}

function Invitation({ invitation }: { readonly invitation: TeamInvitationView }) {
  const { t } = useTranslation('team')
  const { spaceName, personName, address, fingerprint } = invitation
  return (
    <KeyValue
      items={[
        { label: t('title'), value: spaceName },
        { label: t('connection.you'), value: personName },
        { label: t('connection.address'), value: <Code wrap>{address}</Code> },
        ...(fingerprint === undefined
          ? []
          : [{ label: t('connection.certificate'), value: <Code wrap>{fingerprint}</Code> }]),
      ]}
    />
  )
}

export function JoinDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const [pending, setPending] = useState<PendingKeyView>()
  const [invitation, setInvitation] = useState<TeamInvitationView>()
  const chooseInvitationAction = useAction('team.chooseInvitation', {
    onSuccess: (chosen) => chosen.invitation && setInvitation(chosen.invitation),
  })
  const joinTeam = useAction('team.join', { invalidates: ['team'], onSuccess: onClose })
  const failure = chooseInvitationAction.error?.failure ?? joinTeam.error?.failure
  return (
    <Dialog
      title={t('join.title')}
      description={t('join.text')}
      action={{
        label: t('join.action'),
        busy: joinTeam.isPending,
        disabled: invitation === undefined || pending === undefined,
        onSubmit: () =>
          invitation &&
          pending &&
          joinTeam.mutate({ invitationId: invitation.invitationId, pendingId: pending.pendingId }),
      }}
      onClose={onClose}
    >
      <div>
        <Button icon={FileUp} busy={chooseInvitationAction.isPending} onClick={() => chooseInvitationAction.mutate({})}>
          {t('join.choose')}
        </Button>
      </div>
      {invitation ? <Invitation invitation={invitation} /> : null}
      {invitation ? <Password pending={pending} onTaken={setPending} /> : null}
      {failure ? <ExplainedFailure failure={failure} /> : null}
    </Dialog>
  )
}

/** Makes a database user a lead and saves the invitation. */
export function InviteDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const [personName, setPersonName] = useState('')
  const [user, setUser] = useState('')
  const inviteMember = useAction('team.invite', {
    invalidates: ['team'],
    onSuccess: ({ path }) => {
      if (path === undefined) return
      void toast(t('invite.saved', { who: personName.trim(), path }))
      onClose()
    },
  })
  const failure = inviteMember.error?.failure
  return (
    <Dialog
      title={t('invite.title')}
      description={t('invite.text')}
      action={{
        label: t('invite.action'),
        busy: inviteMember.isPending,
        disabled: personName.trim() === '' || user.trim() === '',
        onSubmit: () => inviteMember.mutate({ personName, user }),
      }}
      onClose={onClose}
    >
      <Field label={t('invite.person')} required>
        <TextInput
          autoFocus
          maxLength={100}
          value={personName}
          onChange={(event) => setPersonName(event.target.value)}
        />
      </Field>
      <Field label={t('invite.user')} hint={t('invite.userHint')} required>
        <TextInput mono maxLength={63} value={user} onChange={(event) => setUser(event.target.value)} />
      </Field>
      {failure ? <ExplainedFailure failure={failure} /> : null}
    </Dialog>
  )
}

/** Dialog that saves a new password after the database has accepted it. */
export function PasswordDialog({ onClose }: DialogProps) {
  const { t } = useTranslation('team')
  const [pending, setPending] = useState<PendingKeyView>()
  const changePassword = useAction('team.changePassword', { invalidates: ['team'], onSuccess: onClose })
  return (
    <Dialog
      title={t('password.change')}
      description={t('password.changeText')}
      action={{
        label: t('password.save'),
        busy: changePassword.isPending,
        disabled: pending === undefined,
        onSubmit: () => pending && changePassword.mutate({ pendingId: pending.pendingId }),
      }}
      onClose={onClose}
    >
      <Password pending={pending} onTaken={setPending} />
      {changePassword.error ? <ExplainedFailure failure={changePassword.error.failure} /> : null}
    </Dialog>
  )
}
