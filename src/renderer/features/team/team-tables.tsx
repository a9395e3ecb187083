import type { TeamHolding, TeamPerson, TeamRotation, TeamView } from '@shared/contract'
import { Ellipsis, KeyRound, RefreshCw, UserMinus, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { EmptyState, Section } from '../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../ui/rows'
import { type Column, Table } from '../../ui/table'

/** Maximum number of keys in this table. The Keys page can search all keys. */
const maxRows = 100

function useHoldingColumns(): readonly Column<TeamHolding>[] {
  const { t } = useTranslation('team')
  const { date } = useFormats()
  const day = (timestamp: string | undefined): string => (timestamp === undefined ? '–' : date(timestamp))
  return [
    { id: 'key', header: t('fields.key'), width: '16%', cell: ({ keyName }) => <span title={keyName}>{keyName}</span> },
    { id: 'plan', header: t('fields.plan'), cell: ({ planName }) => <span title={planName}>{planName}</span> },
    {
      id: 'holder',
      header: t('fields.holder'),
      cell: ({ holder, alsoServes }) => [holder?.name, ...alsoServes].filter(Boolean).join(', '),
    },
    {
      id: 'purpose',
      header: t('fields.purpose'),
      width: '20%',
      cell: ({ purpose }) => <span title={purpose}>{purpose ?? ''}</span>,
    },
    { id: 'handedOut', header: t('fields.handedOut'), width: '108px', cell: (holding) => day(holding.handedOutAt) },
    {
      id: 'acknowledged',
      header: t('fields.acknowledged'),
      width: '108px',
      cell: (holding) => day(holding.acknowledgedAt),
    },
    {
      id: 'changed',
      header: t('fields.changed'),
      cell: ({ changedAt, changedBy }) => (
        <InlineDetails items={[changedBy, <RelativeTime key="at" at={changedAt} />]} />
      ),
    },
  ]
}

export function HoldingTable({ holdings }: { readonly holdings: readonly TeamHolding[] }) {
  const { t } = useTranslation('team')
  const columns = useHoldingColumns()
  const shownHoldings = holdings.slice(0, maxRows)
  const hiddenCount = holdings.length - shownHoldings.length
  return (
    <Section title={t('holdings.title')} description={t('holdings.text')}>
      {holdings.length === 0 ? (
        <EmptyState icon={KeyRound} title={t('holdings.empty')}>
          {t('holdings.emptyText')}
        </EmptyState>
      ) : (
        <Table
          caption={t('holdings.title')}
          columns={columns}
          rows={shownHoldings}
          rowKey={({ planName, keyName, changedAt }) => `${planName} ${keyName} ${changedAt}`}
        />
      )}
      {hiddenCount > 0 ? <p className="text-muted text-sm">{t('holdings.more', { count: hiddenCount })}</p> : null}
    </Section>
  )
}

function Rotation({ rotation, isOnline }: { readonly rotation: TeamRotation; readonly isOnline: boolean }) {
  const { t } = useTranslation(['team', 'rotation'])
  const navigate = useNavigate()
  const takeOverLead = useAction('team.takeOver', {
    invalidates: ['team', 'rotation'],
    onSuccess: ({ id }) => void navigate(`/rotate/${id}`),
  })
  const { keyName, planName, personName, machineName, startedAt, isHere, isFree, id } = rotation
  return (
    <>
      <Row
        leading={<RowIcon icon={RefreshCw} />}
        title={t('team:rotations.of', { key: keyName, plan: planName })}
        badge={
          <Badge tone={isFree ? 'warning' : 'accent'}>
            {t(isFree ? 'team:rotations.free' : 'team:rotations.running')}
          </Badge>
        }
        description={
          <InlineDetails
            items={[
              isHere ? t('team:rotations.here') : t('team:rotations.by', { who: personName, computer: machineName }),
              <RelativeTime key="at" at={startedAt} />,
            ]}
          />
        }
        trailing={
          isHere ? (
            <Button size="sm" onClick={() => void navigate(`/rotate/${id}`)}>
              {t('team:rotations.open')}
            </Button>
          ) : isFree ? (
            <Button
              size="sm"
              disabled={!isOnline}
              busy={takeOverLead.isPending}
              onClick={() => takeOverLead.mutate({ id })}
            >
              {t('team:rotations.takeOver')}
            </Button>
          ) : undefined
        }
      />
      {takeOverLead.error ? (
        <li className="list-none p-3">
          <ExplainedFailure failure={takeOverLead.error.failure} />
        </li>
      ) : null}
    </>
  )
}

/** Running rotations of all leads. */
export function RotationList({
  rotations,
  isOnline,
}: {
  readonly rotations: readonly TeamRotation[]
  readonly isOnline: boolean
}) {
  const { t } = useTranslation('team')
  return (
    <Section title={t('rotations.title')} description={t('rotations.text')}>
      <Rows label={t('rotations.title')}>
        {rotations.map((rotation) => (
          <Rotation key={rotation.id} rotation={rotation} isOnline={isOnline} />
        ))}
      </Rows>
    </Section>
  )
}

/** Local keys rotated by another computer whose tools need a manual switch, with the reason. */
export function SwitchList({ switches }: { readonly switches: Extract<TeamView, { state: 'joined' }>['switches'] }) {
  const { t } = useTranslation('team')
  return (
    <Section title={t('switches.title')} description={t('switches.text')}>
      <Rows label={t('switches.title')}>
        {switches.map(({ rotationId, keyName, planName, personName, failure }) => (
          <Row
            key={rotationId}
            leading={<RowIcon icon={KeyRound} />}
            title={t('rotations.of', { key: keyName, plan: planName })}
            description={failure?.message ?? t('switches.by', { who: personName })}
          />
        ))}
      </Rows>
    </Section>
  )
}

function Person({ person, onRemove }: { readonly person: TeamPerson; readonly onRemove: (() => void) | undefined }) {
  const { t } = useTranslation('team')
  const { name, isMe, machines } = person
  const [latest] = machines
  return (
    <Row
      leading={<RowIcon icon={UserRound} />}
      title={name}
      badge={isMe ? <Badge>{t('people.you')}</Badge> : null}
      description={
        latest === undefined ? (
          t('people.notJoined')
        ) : (
          <InlineDetails
            items={[
              machines.map((machine) => machine.name).join(', '),
              <>
                {t('people.seen')} <RelativeTime key="at" at={latest.seenAt} />
              </>,
            ]}
          />
        )
      }
      trailing={
        onRemove ? (
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={t('people.menuOf', { who: name })} />}
            items={[{ label: t('people.remove'), icon: UserMinus, danger: true, onSelect: onRemove }]}
          />
        ) : undefined
      }
    />
  )
}

export function PeopleList({ people }: { readonly people: readonly TeamPerson[] }) {
  const { t } = useTranslation('team')
  const [leaving, setLeaving] = useState<TeamPerson>()
  const removeMember = useAction('team.remove', { invalidates: ['team'], onSuccess: () => setLeaving(undefined) })
  if (people.length === 0) return null
  return (
    <Section title={t('people.title')}>
      <Rows label={t('people.title')}>
        {people.map((person) => (
          <Person key={person.id} person={person} onRemove={!person.isMe ? () => setLeaving(person) : undefined} />
        ))}
      </Rows>
      {removeMember.error ? <ExplainedFailure failure={removeMember.error.failure} /> : null}
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t('people.removing', { who: leaving?.name ?? '' })}
        description={t('people.removingText')}
        confirmLabel={t('people.remove')}
        danger
        busy={removeMember.isPending}
        onConfirm={() => leaving && removeMember.mutate({ personId: leaving.id })}
      />
    </Section>
  )
}
