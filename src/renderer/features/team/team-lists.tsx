import type { TeamPerson, TeamRotation, TeamView } from '@shared/contract'
import { Ellipsis, KeyRound, RefreshCw, UserMinus, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Section } from '../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../ui/rows'

type JoinedTeam = Extract<TeamView, { state: 'joined' }>

/** Running rotations of all leads. */
export function RotationList({ team: { rotations, isOnline } }: { readonly team: JoinedTeam }) {
  const { t } = useTranslation('team')
  const navigate = useNavigate()
  const takeOver = useAction('team.takeOver', {
    invalidates: ['team', 'rotation'],
    onSuccess: ({ id }) => void navigate(`/rotate/${id}`),
  })
  if (rotations.length === 0) return null
  const createAction = ({ id, isHere, isFree }: TeamRotation) => {
    if (isHere)
      return (
        <ButtonLink size="sm" to={`/rotate/${id}`}>
          {t('rotations.open')}
        </ButtonLink>
      )
    if (!isFree) return null
    const isPending = takeOver.isPending && takeOver.variables.id === id
    return (
      <Button size="sm" disabled={!isOnline} busy={isPending} onClick={() => takeOver.mutate({ id })}>
        {t('rotations.takeOver')}
      </Button>
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
              <InlineDetails
                items={[
                  rotation.isHere
                    ? t('rotations.here')
                    : t('rotations.by', { who: rotation.personName, computer: rotation.machineName }),
                  <RelativeTime key="at" at={rotation.startedAt} />,
                ]}
              />
            }
            trailing={createAction(rotation)}
          />
        ))}
      </Rows>
      {takeOver.error ? <ExplainedFailure failure={takeOver.error.failure} /> : null}
    </Section>
  )
}

/** Local keys rotated by another computer whose tools need a manual switch, with the reason. */
export function SwitchList({ switches }: Pick<JoinedTeam, 'switches'>) {
  const { t } = useTranslation('team')
  if (switches.length === 0) return null
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

export function PeopleList({ people }: Pick<JoinedTeam, 'people'>) {
  const { t } = useTranslation('team')
  const [removed, setRemoved] = useState<TeamPerson>()
  const removeLead = useAction('team.remove', { invalidates: ['team'], onSuccess: () => setRemoved(undefined) })
  if (people.length === 0) return null
  return (
    <Section title={t('people.title')}>
      <Rows label={t('people.title')}>
        {people.map((person) => (
          <Row
            key={person.id}
            leading={<RowIcon icon={UserRound} />}
            title={person.name}
            badge={person.isMe ? <Badge>{t('people.you')}</Badge> : null}
            description={
              person.machines[0] ? (
                <InlineDetails
                  items={[
                    person.machines.map(({ name }) => name).join(', '),
                    <>
                      {t('people.seen')} <RelativeTime key="at" at={person.machines[0].seenAt} />
                    </>,
                  ]}
                />
              ) : (
                t('people.notJoined')
              )
            }
            trailing={
              person.isMe ? null : (
                <Menu
                  align="end"
                  trigger={<IconButton icon={Ellipsis} label={t('people.menuOf', { who: person.name })} />}
                  items={[
                    { label: t('people.remove'), icon: UserMinus, danger: true, onSelect: () => setRemoved(person) },
                  ]}
                />
              )
            }
          />
        ))}
      </Rows>
      {removeLead.error ? <ExplainedFailure failure={removeLead.error.failure} /> : null}
      <ConfirmDialog
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={t('people.removing', { who: removed?.name ?? '' })}
        description={t('people.removingText')}
        confirmLabel={t('people.remove')}
        danger
        busy={removeLead.isPending}
        onConfirm={() => removed && removeLead.mutate({ personId: removed.id })}
      />
    </Section>
  )
}
