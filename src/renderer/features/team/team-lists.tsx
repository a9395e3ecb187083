import type { TeamConflict, TeamRotation, TeamView } from '@shared/contract'
import { RefreshCw, UserMinus, UserRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { type Action, Button } from '../../ui/button'
import { ConfirmButton } from '../../ui/dialog'
import { Card, Section } from '../../ui/page'
import { InlineDetails, KeyValue, Row, RowIcon, Rows } from '../../ui/rows'

export type JoinedTeam = Extract<TeamView, { state: 'joined' }>

export function RotationList({ team: { rotations, isOnline } }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
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

export function PeopleList({ people }: Pick<JoinedTeam, 'people'>) {
  const { t } = useTranslation('team')
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
              machines[0] ? (
                <InlineDetails
                  items={[
                    machines.map((machine) => machine.name).join(', '),
                    <>
                      {t('people.seen')} <RelativeTime key="at" at={machines[0].seenAt} />
                    </>,
                  ]}
                />
              ) : (
                t('people.notJoined')
              )
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
  const { t } = useTranslation('team')
  const { date } = useFormats()
  const resolveConflict = useAction('team.resolve', { invalidates: ['team', 'register'] })
  const { id, planName, keyName: key, ownBy, sharedBy, at } = conflict
  const getText = (version: 'shared' | 'own', field: (typeof versionFields)[number]): string => {
    const { holder, alsoServes, ...texts } = conflict[version]
    if (field === 'holder') return holder?.name ?? ''
    if (field === 'alsoServes') return alsoServes.join(', ')
    const text = texts[field] ?? ''
    return field.endsWith('At') && text !== '' ? date(text) : text
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

export function ConflictList({ team: { conflicts, isOnline } }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  if (conflicts.length === 0) return null
  return (
    <Section title={t('conflicts.title')} description={t('conflicts.text')}>
      {conflicts.map((conflict) => (
        <Conflict key={conflict.id} conflict={conflict} isOnline={isOnline} />
      ))}
    </Section>
  )
}
