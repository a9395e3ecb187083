import type { TeamConflict, TeamView } from '@shared/contract'
import { RefreshCw, UserPlus, UsersRound } from 'lucide-react'
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
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Code } from '../../ui/code'
import { ConfirmDialog } from '../../ui/dialog'
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

function OfflineNotice({ team }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  const syncTeam = useSync()
  const [isUpgrading, setUpgrading] = useState(false)
  const { failure, waiting } = team
  if (team.isOnline || failure === undefined) return null
  const count = waiting.notes + waiting.lines
  const retry = (): void => syncTeam.mutate({})
  if (failure.code === 'team.older')
    return (
      <Callout
        tone="warning"
        title={t('upgrade.needed')}
        actions={
          <Button size="sm" onClick={() => setUpgrading(true)}>
            {t('upgrade.button')}
          </Button>
        }
      >
        {t('upgrade.neededText')}
        {isUpgrading ? <QuestionDialog question="upgrade" team={team} onClose={() => setUpgrading(false)} /> : null}
      </Callout>
    )
  if (failure.code !== 'team.unreachable')
    return (
      <ExplainedFailure failure={failure} handlers={{ tryAgain: retry }} busy={syncTeam.isPending} tone="warning" />
    )
  return (
    <Callout
      tone="warning"
      title={t('offline.title')}
      actions={
        <Button size="sm" busy={syncTeam.isPending} onClick={retry}>
          {t('offline.retry')}
        </Button>
      }
      details={<Code wrap>{failure.message}</Code>}
    >
      {t(count === 0 ? 'offline.text' : 'offline.waiting', { count })}
    </Callout>
  )
}

type TeamDialogKind = 'leave' | 'delete' | 'upgrade'

function QuestionDialog({
  question,
  team: { spaceName, waiting },
  onClose,
}: {
  readonly question: TeamDialogKind
  readonly team: JoinedTeam
  readonly onClose: () => void
}) {
  const { t } = useTranslation('team')
  const submitDialog = useAction(`team.${question}`, { invalidates: ['team', 'register'], onSuccess: onClose })
  const count = question === 'leave' ? waiting.notes + waiting.lines : 0
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t(`${question}.title`, { team: spaceName })}
      description={`${t(`${question}.text`)}${count === 0 ? '' : ` ${t('leave.waiting', { count })}`}`}
      confirmLabel={t(`${question}.confirm`)}
      danger
      busy={submitDialog.isPending}
      onConfirm={() => submitDialog.mutate({})}
    >
      {submitDialog.error ? <ExplainedFailure failure={submitDialog.error.failure} /> : null}
    </ConfirmDialog>
  )
}

function ConnectionSection({ team }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  const [open, setOpen] = useState<'leave' | 'delete' | 'password'>()
  const close = (): void => setOpen(undefined)
  const buttons = ['password', 'leave', 'delete'] as const
  return (
    <Section
      title={t('connection.title')}
      actions={buttons.map((dialog) => (
        <Button key={dialog} size="sm" onClick={() => setOpen(dialog)}>
          {t(`${dialog}.button`)}
        </Button>
      ))}
    >
      <Card>
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
      </Card>
      {open === 'password' ? <PasswordDialog onClose={close} /> : null}
      {open === 'leave' || open === 'delete' ? <QuestionDialog question={open} team={team} onClose={close} /> : null}
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

/** Texts of a version, by the keys of their labels. */
function useVersionTexts() {
  const { date } = useFormats()
  const day = (timestamp: string | undefined): string => (timestamp === undefined ? '' : date(timestamp))
  return ({ holder, alsoServes, purpose, machine, ...version }: TeamConflict['own']) => ({
    holder: holder?.name ?? '',
    alsoServes: alsoServes.join(', '),
    purpose: purpose ?? '',
    machine: machine ?? '',
    handedOut: day(version.handedOutAt),
    acknowledged: day(version.acknowledgedAt),
    rotated: day(version.rotatedAt),
  })
}

type VersionField = keyof ReturnType<ReturnType<typeof useVersionTexts>>
const versionFields: readonly VersionField[] = [
  'holder',
  'alsoServes',
  'purpose',
  'machine',
  'handedOut',
  'acknowledged',
  'rotated',
]

function Conflict({ conflict, isOnline }: { readonly conflict: TeamConflict; readonly isOnline: boolean }) {
  const { t } = useTranslation('team')
  const toVersionTexts = useVersionTexts()
  const resolveConflict = useAction('team.resolve', { invalidates: ['team', 'register'] })
  const { id, planName, keyName: key, ownBy, sharedBy, at } = conflict
  const texts = { shared: toVersionTexts(conflict.shared), own: toVersionTexts(conflict.own) }
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
            texts.shared[field] === texts.own[field] ? 'text-muted' : 'font-semibold',
          )}
        >
          {texts[keep][field] || t('conflicts.nothing')}
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
        rows={[...versionFields.filter((field) => texts.shared[field] || texts.own[field]), 'keep' as const]}
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
