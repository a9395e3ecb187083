import type { TeamConflict, TeamView } from '@shared/contract'
import {
  ArrowUpFromLine,
  KeyRound,
  LogOut,
  type LucideIcon,
  RefreshCw,
  Trash2,
  UserPlus,
  UsersRound,
} from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { registerPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { ConfirmButton } from '../../ui/dialog'
import { Card, EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { InlineDetails } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import { CreateDialog, InviteDialog, JoinDialog, PasswordDialog, SignInDetails } from './team-dialogs'
import { PeopleList, RotationList, SwitchList } from './team-lists'

type JoinedTeam = Extract<TeamView, { state: 'joined' }>

const useSync = () => useAction('team.sync', { invalidates: ['team', 'register'] })

function NoTeam() {
  const { t } = useTranslation('team')
  const [open, setOpen] = useState<'create' | 'join'>()
  const close = (): void => setOpen(undefined)
  return (
    <>
      <EmptyState
        icon={UsersRound}
        title={t('none.title')}
        actions={
          <>
            <Button variant="primary" onClick={() => setOpen('join')}>
              {t('none.join')}
            </Button>
            <Button onClick={() => setOpen('create')}>{t('none.create')}</Button>
          </>
        }
      >
        {t('none.text')}
      </EmptyState>
      {open === 'create' ? <CreateDialog onClose={close} /> : null}
      {open === 'join' ? <JoinDialog onClose={close} /> : null}
    </>
  )
}

/** Button of an action for the whole space, after a question. */
function QuestionButton({
  question,
  icon,
  team: { spaceName, waiting },
}: {
  readonly question: 'leave' | 'delete' | 'upgrade'
  readonly icon: LucideIcon
  readonly team: JoinedTeam
}) {
  const { t } = useTranslation('team')
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
      busy={action.isPending}
      onConfirm={(close) => action.mutate({}, { onSuccess: close })}
    >
      {action.error ? <ExplainedFailure failure={action.error.failure} /> : null}
    </ConfirmButton>
  )
}

function OfflineNotice({ team }: { readonly team: JoinedTeam }) {
  const syncTeam = useSync()
  const { failure, isOnline } = team
  if (isOnline || failure === undefined) return null
  const upgrade = <QuestionButton question="upgrade" icon={ArrowUpFromLine} team={team} />
  return (
    <ExplainedFailure
      failure={failure}
      tone="warning"
      actions={failure.code === 'team.older' ? upgrade : undefined}
      handlers={{ tryAgain: () => syncTeam.mutate({}) }}
      busy={syncTeam.isPending}
    />
  )
}

function ConnectionSection({ team }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  const [isChangingPassword, setChangingPassword] = useState(false)
  const encryption = t(team.isEncrypted ? 'connection.encrypted' : 'connection.local')
  return (
    <Section
      title={t('connection.title')}
      actions={
        <>
          <Button icon={KeyRound} onClick={() => setChangingPassword(true)}>
            {t('password.button')}
          </Button>
          <QuestionButton question="leave" icon={LogOut} team={team} />
          <QuestionButton question="delete" icon={Trash2} team={team} />
        </>
      }
    >
      <Card>
        <SignInDetails
          {...team}
          items={[
            { label: t('connection.encryption'), value: encryption },
            { label: t('connection.computer'), value: team.machineName },
          ]}
        />
      </Card>
      {isChangingPassword ? <PasswordDialog onClose={() => setChangingPassword(false)} /> : null}
    </Section>
  )
}

function Actions({ team }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  const [isInviting, setInviting] = useState(false)
  const syncTeam = useSync()
  return (
    <>
      <ButtonLink to={registerPath}>{t('keys')}</ButtonLink>
      <Button icon={RefreshCw} busy={syncTeam.isPending} onClick={() => syncTeam.mutate({})}>
        {t('sync')}
      </Button>
      <Button variant="primary" icon={UserPlus} disabled={!team.isOnline} onClick={() => setInviting(true)}>
        {t('invite.button')}
      </Button>
      {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </>
  )
}

export function TeamPage() {
  const { t } = useTranslation('team')
  const query = useCall('team.get', {})
  const team = query.data?.state === 'joined' ? query.data : undefined
  const count = team && !team.isOnline ? team.waiting.notes + team.waiting.lines : 0
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        badge={
          team ? (
            <Badge tone={team.isOnline ? 'success' : 'warning'}>{t(team.isOnline ? 'online' : 'offline.badge')}</Badge>
          ) : undefined
        }
        state={
          team ? (
            <InlineDetails
              items={[
                team.spaceName,
                team.syncedAt === undefined ? undefined : (
                  <>
                    {t('synced')} <RelativeTime at={team.syncedAt} />
                  </>
                ),
                count > 0 && t('offline.waiting', { count }),
              ]}
            />
          ) : (
            t('state')
          )
        }
        actions={team ? <Actions team={team} /> : undefined}
      />
      <Loaded query={query} skeleton={<SkeletonRows rows={5} />}>
        {() =>
          team ? (
            <>
              <OfflineNotice team={team} />
              <ConflictList team={team} />
              <SwitchList switches={team.switches} />
              <RotationList team={team} />
              <PeopleList people={team.people} />
              <ConnectionSection team={team} />
            </>
          ) : (
            <NoTeam />
          )
        }
      </Loaded>
    </Page>
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
type VersionField = (typeof versionFields)[number]

function Conflict({ conflict, isOnline }: { readonly conflict: TeamConflict; readonly isOnline: boolean }) {
  const { t } = useTranslation('team')
  const { date } = useFormats()
  const resolveConflict = useAction('team.resolve', { invalidates: ['team', 'register'] })
  const { id, planName, keyName: key, ownBy, sharedBy, at } = conflict
  const getText = (version: 'shared' | 'own', field: VersionField): string => {
    const { holder, alsoServes, ...texts } = conflict[version]
    if (field === 'holder') return holder?.name ?? ''
    if (field === 'alsoServes') return alsoServes.join(', ')
    const text = texts[field] ?? ''
    return field.endsWith('At') && text !== '' ? date(text) : text
  }
  const title = t('conflicts.of', { key, plan: planName })
  const createColumn = (keep: 'shared' | 'own', who: string, header: string): Column<VersionField | 'keep'> => ({
    id: keep,
    header,
    cell: (field) =>
      field === 'keep' ? (
        <Button
          size="sm"
          disabled={!isOnline}
          busy={resolveConflict.isPending && resolveConflict.variables.keep === keep}
          aria-label={t('conflicts.keepOf', { key, who })}
          onClick={() => resolveConflict.mutate({ id, keep })}
        >
          {t('conflicts.keep')}
        </Button>
      ) : (
        <span
          className={joinClassNames(
            'wrap-anywhere block whitespace-normal py-1.5',
            getText('shared', field) === getText('own', field) ? 'text-muted' : 'font-semibold',
          )}
        >
          {getText(keep, field) || t('conflicts.nothing')}
        </span>
      ),
  })
  const sharedTitle = sharedBy === undefined ? t('conflicts.shared') : t('conflicts.by', { who: sharedBy })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <span className="font-semibold">{title}</span>
        <span className="text-muted text-sm">
          <RelativeTime at={at} />
        </span>
      </div>
      <Table
        caption={title}
        rows={[...versionFields.filter((field) => getText('shared', field) || getText('own', field)), 'keep' as const]}
        rowKey={(field) => field}
        columns={[
          {
            id: 'field',
            header: t('conflicts.field'),
            headerHidden: true,
            width: '140px',
            cell: (field) => (field === 'keep' ? null : t(`fields.${field}`)),
          },
          createColumn('shared', sharedBy ?? '', `${sharedTitle} (${t('conflicts.current')})`),
          createColumn('own', ownBy, t('conflicts.by', { who: ownBy })),
        ]}
      />
      {resolveConflict.error ? <ExplainedFailure failure={resolveConflict.error.failure} /> : null}
    </div>
  )
}

/** Conflicts between two edits of a key's notes. Shows both versions and lets the user keep one. */
function ConflictList({ team: { conflicts, isOnline } }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  if (conflicts.length === 0) return null
  return (
    <Section title={t('conflicts.title')} description={t('conflicts.text')}>
      <div className="flex flex-col gap-3">
        {conflicts.map((conflict) => (
          <Conflict key={conflict.id} conflict={conflict} isOnline={isOnline} />
        ))}
      </div>
    </Section>
  )
}
