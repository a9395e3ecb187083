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
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { registerPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { ConfirmButton } from '../../ui/dialog'
import { Card, EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { InlineDetails } from '../../ui/rows'
import { CreateDialog, InviteDialog, JoinDialog, PasswordDialog, SignInDetails } from './team-dialogs'
import { ConflictList, type JoinedTeam, PeopleList, RotationList } from './team-lists'

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
      <ExplainedFailure failure={action.error?.failure} />
    </ConfirmButton>
  )
}

const dialogs = { create: CreateDialog, join: JoinDialog, invite: InviteDialog, password: PasswordDialog }

export function TeamPage() {
  const { t } = useTranslation('team')
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
          team ? (
            <InlineDetails
              items={[
                team.spaceName,
                team.syncedAt !== undefined && (
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
                  actions={
                    team.failure.code === 'team.older' && (
                      <QuestionButton question="upgrade" icon={ArrowUpFromLine} team={team} />
                    )
                  }
                  handlers={{ tryAgain: () => sync.mutate({}) }}
                  busy={sync.isPending}
                />
              )}
              <ConflictList team={team} />
              <RotationList team={team} />
              <PeopleList people={team.people} />
              <Section
                title={t('connection.title')}
                actions={[
                  { label: t('password.button'), size: 'md', icon: KeyRound, onClick: () => setDialog('password') },
                  <QuestionButton key="leave" question="leave" icon={LogOut} team={team} />,
                  <QuestionButton key="delete" question="delete" icon={Trash2} team={team} />,
                ]}
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
              </Section>
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
