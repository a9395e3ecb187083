import type { PendingKeyView, TeamConflict, TeamInvitationView, TeamRotation, TeamView } from '@shared/contract'
import i18next from 'i18next'
import {
  ArrowUpFromLine,
  FileUp,
  KeyRound,
  LogOut,
  type LucideIcon,
  RefreshCw,
  Trash2,
  UserMinus,
  UserPlus,
  UserRound,
  UsersRound,
} from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { formatDate } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { registerPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { type Action, Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { ConfirmButton, Dialog } from '../../ui/dialog'
import { Field, TextField } from '../../ui/field'
import { Card, CardSection, EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { PasteBox } from '../../ui/paste-box'
import { InlineDetails, KeyValue, type KeyValueItem, Row, RowIcon, Rows } from '../../ui/rows'
import { closeWithToast } from '../../ui/toast'

const t = i18next.getFixedT(null, 'team')

function QuestionButton({
  question,
  icon,
  team: { spaceName, waiting },
}: {
  readonly question: 'leave' | 'delete' | 'upgrade'
  readonly icon: LucideIcon
  readonly team: JoinedTeam
}) {
  const action = useAction(`team.${question}`, { invalidates: ['team', 'register'] })
  const count = question === 'leave' ? waiting.notes + waiting.lines : 0
  return (
    <ConfirmButton
      icon={icon}
      label={t(`${question}.button`)}
      title={t(`${question}.title`, { team: spaceName })}
      description={`${t(`${question}.text`)}${count === 0 ? '' : ` ${t('leave.waiting', { count })}`}`}
      confirmLabel={t(`${question}.confirm`)}
      danger
      mutation={action}
      onConfirm={(close) => action.mutate({}, { onSuccess: close })}
    />
  )
}

const dialogs = { create: CreateDialog, join: JoinDialog, invite: InviteDialog, password: PasswordDialog }

export function TeamPage() {
  const query = useCall('team.get', {})
  const [dialog, setDialog] = useState<keyof typeof dialogs>()
  const sync = useAction('team.sync', { invalidates: ['team', 'register'] })
  const OpenDialog = dialog && dialogs[dialog]
  const team = query.data?.state === 'joined' ? query.data : undefined
  const count = team && !team.isOnline ? team.waiting.notes + team.waiting.lines : 0
  const status = team?.isOnline ? 'online' : 'offline.badge'
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        badge={team ? <Badge tone={team.isOnline ? 'success' : 'warning'}>{t(status)}</Badge> : undefined}
        state={
          team
            ? [
                team.spaceName,
                team.syncedAt !== undefined && (
                  <span key="synced">
                    {t('synced')} <RelativeTime at={team.syncedAt} />
                  </span>
                ),
                count > 0 && t('offline.waiting', { count }),
              ]
            : t('state')
        }
        actions={
          team && [
            { label: t('keys'), to: registerPath },
            { label: t('sync'), icon: RefreshCw, busy: sync.isPending, onClick: () => sync.mutate({}) },
            {
              label: t('invite.button'),
              variant: 'primary',
              icon: UserPlus,
              disabled: !team.isOnline,
              onClick: () => setDialog('invite'),
            },
          ]
        }
      />
      <Loaded query={query} rows={5}>
        {() =>
          team ? (
            <>
              {!team.isOnline && team.failure && (
                <ExplainedFailure
                  failure={team.failure}
                  tone="warning"
                  actions={[
                    team.failure.code === 'team.older' && (
                      <QuestionButton key="upgrade" question="upgrade" icon={ArrowUpFromLine} team={team} />
                    ),
                  ]}
                  handlers={{ tryAgain: () => sync.mutate({}) }}
                  busy={sync.isPending}
                />
              )}
              <ConflictList team={team} />
              <RotationList team={team} />
              <PeopleList people={team.people} />
              <CardSection
                title={t('connection.title')}
                actions={[
                  { label: t('password.button'), size: 'md', icon: KeyRound, onClick: () => setDialog('password') },
                  <QuestionButton key="leave" question="leave" icon={LogOut} team={team} />,
                  <QuestionButton key="delete" question="delete" icon={Trash2} team={team} />,
                ]}
              >
                <SignInDetails
                  {...team}
                  items={[
                    {
                      label: t('connection.encryption'),
                      value: t(team.isEncrypted ? 'connection.encrypted' : 'connection.local'),
                    },
                    { label: t('connection.computer'), value: team.machineName },
                  ]}
                />
              </CardSection>
            </>
          ) : (
            <EmptyState
              icon={UsersRound}
              title={t('none.title')}
              actions={[
                { label: t('none.join'), variant: 'primary', onClick: () => setDialog('join') },
                { label: t('none.create'), onClick: () => setDialog('create') },
              ]}
            >
              {t('none.text')}
            </EmptyState>
          )
        }
      </Loaded>
      {OpenDialog ? <OpenDialog onClose={() => setDialog(undefined)} /> : null}
    </Page>
  )
}

export type JoinedTeam = Extract<TeamView, { state: 'joined' }>

export function RotationList({ team: { rotations, isOnline } }: { readonly team: JoinedTeam }) {
  const navigate = useNavigate()
  const takeOver = useAction('team.takeOver', {
    invalidates: ['team', 'rotation'],
    onSuccess: ({ id }) => void navigate(`/rotate/${id}`),
  })
  if (rotations.length === 0) return null
  const createAction = ({ id, isHere, isFree }: TeamRotation): Action | false => {
    if (isHere) return { label: t('rotations.open'), to: `/rotate/${id}` }
    const busy = takeOver.isPending && takeOver.variables.id === id
    return (
      isFree && { label: t('rotations.takeOver'), disabled: !isOnline, busy, onClick: () => takeOver.mutate({ id }) }
    )
  }
  return (
    <Section title={t('rotations.title')} description={t('rotations.text')}>
      <Rows label={t('rotations.title')}>
        {rotations.map((rotation) => (
          <Row
            key={rotation.id}
            leading={<RowIcon icon={RefreshCw} />}
            title={t('rotations.of', { key: rotation.keyName, plan: rotation.planName })}
            badge={
              <Badge tone={rotation.isFree ? 'warning' : 'accent'}>
                {t(rotation.isFree ? 'rotations.free' : 'rotations.running')}
              </Badge>
            }
            description={
              <>
                <InlineDetails
                  items={[
                    rotation.isHere
                      ? t('rotations.here')
                      : t('rotations.by', { who: rotation.personName, computer: rotation.machineName }),
                    <RelativeTime key="at" at={rotation.startedAt} />,
                  ]}
                />
                {rotation.switchHere && <p>{rotation.switchHere.failure?.message ?? t('rotations.switchHere')}</p>}
              </>
            }
            trailing={[createAction(rotation)]}
          />
        ))}
      </Rows>
      <ExplainedFailure failure={takeOver.error?.failure} />
    </Section>
  )
}

function PeopleList({ people }: Pick<JoinedTeam, 'people'>) {
  const removeLead = useAction('team.remove', { invalidates: ['team'] })
  if (people.length === 0) return null
  return (
    <Section title={t('people.title')}>
      <Rows label={t('people.title')}>
        {people.map(({ id, name, isMe, machines }) => (
          <Row
            key={id}
            leading={<RowIcon icon={UserRound} />}
            title={name}
            badge={isMe ? <Badge>{t('people.you')}</Badge> : null}
            description={
              machines[0]
                ? [
                    machines.map((machine) => machine.name).join(', '),
                    <span key="seen">
                      {t('people.seen')} <RelativeTime at={machines[0].seenAt} />
                    </span>,
                  ]
                : t('people.notJoined')
            }
            trailing={
              !isMe && (
                <ConfirmButton
                  icon={UserMinus}
                  label={t('people.removeEllipsis')}
                  ariaLabel={t('people.removeOf', { who: name })}
                  title={t('people.removing', { who: name })}
                  description={t('people.removingText')}
                  confirmLabel={t('people.remove')}
                  danger
                  busy={removeLead.isPending}
                  onConfirm={(close) => removeLead.mutate({ personId: id }, { onSettled: close })}
                />
              )
            }
          />
        ))}
      </Rows>
      <ExplainedFailure failure={removeLead.error?.failure} />
    </Section>
  )
}

const versionFields = [
  'holder',
  'alsoServes',
  'purpose',
  'machine',
  'handedOutAt',
  'acknowledgedAt',
  'rotatedAt',
  'endsAt',
] as const

function Conflict({ conflict, isOnline }: { readonly conflict: TeamConflict; readonly isOnline: boolean }) {
  const resolveConflict = useAction('team.resolve', { invalidates: ['team', 'register'] })
  const { id, planName, keyName: key, ownBy, sharedBy, at } = conflict
  const getText = (version: 'shared' | 'own', field: (typeof versionFields)[number]): string => {
    const { holder, alsoServes, ...texts } = conflict[version]
    if (field === 'holder') return holder?.name ?? ''
    if (field === 'alsoServes') return alsoServes.join(', ')
    const text = texts[field] ?? ''
    return field.endsWith('At') && text !== '' ? formatDate(text) : text
  }
  const fields = versionFields.filter((field) => getText('shared', field) !== getText('own', field))
  const sharedTitle = sharedBy === undefined ? t('conflicts.shared') : t('conflicts.by', { who: sharedBy })
  const versions = [
    { keep: 'shared', who: sharedBy ?? '', title: `${sharedTitle} (${t('conflicts.current')})` },
    { keep: 'own', who: ownBy, title: t('conflicts.by', { who: ownBy }) },
  ] as const
  return (
    <div className="flex flex-col gap-2">
      <InlineDetails
        items={[
          <span key="of" className="font-semibold text-text">
            {t('conflicts.of', { key, plan: planName })}
          </span>,
          <RelativeTime key="at" at={at} />,
        ]}
      />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        {versions.map(({ keep, who, title }) => (
          <Card key={keep}>
            <h3 className="font-medium">{title}</h3>
            <KeyValue
              items={fields.map((field) => ({
                label: t(`fields.${field}`),
                value: getText(keep, field) || t('conflicts.nothing'),
              }))}
            />
            <Button
              size="sm"
              disabled={!isOnline}
              busy={resolveConflict.isPending && resolveConflict.variables.keep === keep}
              aria-label={t('conflicts.keepOf', { key, who })}
              onClick={() => resolveConflict.mutate({ id, keep })}
            >
              {t('conflicts.keep')}
            </Button>
          </Card>
        ))}
      </div>
      <ExplainedFailure failure={resolveConflict.error?.failure} />
    </div>
  )
}

function ConflictList({ team: { conflicts, isOnline } }: { readonly team: JoinedTeam }) {
  if (conflicts.length === 0) return null
  return (
    <Section title={t('conflicts.title')} description={t('conflicts.text')}>
      {conflicts.map((conflict) => (
        <Conflict key={conflict.id} conflict={conflict} isOnline={isOnline} />
      ))}
    </Section>
  )
}

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

function SignInDetails({
  personName,
  address,
  fingerprint,
  items = [],
}: Pick<TeamInvitationView, 'personName' | 'address' | 'fingerprint'> & { readonly items?: readonly KeyValueItem[] }) {
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

function CreateDialog({ onClose }: DialogProps) {
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
      busy={creation.isPending}
      action={{
        label: t('create.action'),
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

function JoinDialog({ onClose }: DialogProps) {
  const { pendingId, passwordBox } = usePassword()
  const [invitation, setInvitation] = useState<TeamInvitationView>()
  const choice = useAction('team.chooseInvitation', {
    onSuccess: (chosen) => chosen.invitation && setInvitation(chosen.invitation),
  })
  const joinTeam = useAction('team.join', { invalidates: ['team'], onSuccess: onClose })
  return (
    <Dialog
      title={t('join.title')}
      description={t('join.text')}
      mutation={joinTeam}
      action={{
        label: t('join.action'),
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
      <ExplainedFailure failure={choice.error?.failure} />
      {invitation ? (
        <>
          <SignInDetails {...invitation} items={[{ label: t('title'), value: invitation.spaceName }]} />
          {passwordBox}
        </>
      ) : null}
    </Dialog>
  )
}

function InviteDialog({ onClose }: DialogProps) {
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
      mutation={inviteLead}
      action={{ label: t('invite.action'), disabled: !isComplete, onSubmit: () => inviteLead.mutate(values) }}
      onClose={onClose}
    >
      <TextField label={t('invite.person')} autoFocus {...bind('personName')} />
      <TextField label={t('invite.user')} hint={t('invite.userHint')} mono {...bind('user')} maxLength={63} />
    </Dialog>
  )
}

function PasswordDialog({ onClose }: DialogProps) {
  const { pendingId, passwordBox } = usePassword()
  const changePassword = useAction('team.changePassword', { invalidates: ['team'], onSuccess: onClose })
  return (
    <Dialog
      title={t('password.change')}
      description={t('password.changeText')}
      mutation={changePassword}
      action={{
        label: t('password.save'),
        disabled: pendingId === '',
        onSubmit: () => changePassword.mutate({ pendingId }),
      }}
      onClose={onClose}
    >
      {passwordBox}
    </Dialog>
  )
}
