import clsx from 'clsx'
import { Users } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../../relative-time'
import { EmptyState } from '../../../ui/empty-state'
import { Facts } from '../../../ui/rows'
import { identifierOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import styles from '../memory.module.css'
import { actorIdentifier } from '../names'
import { actorFacts } from './actors'

interface ActorListProps {
  readonly rows: readonly Json[]
  /** Actors that were typed and the platform did not list here. */
  readonly typed: readonly string[]
  readonly chosen: string | undefined
  readonly isSearching: boolean
  readonly onChoose: (actorId: string) => void
}

interface ActorView {
  readonly actorId: string
  readonly row: Json | undefined
}

function ActorFacts({ row }: { readonly row: Json | undefined }) {
  const { t } = useTranslation('memory')
  if (row === undefined) return <Facts items={[t('actors.typed')]} />
  const { sessions, events, last } = actorFacts(row)
  return (
    <Facts
      items={[
        sessions !== undefined && t('count.sessions', { count: sessions }),
        events !== undefined && t('count.events', { count: events }),
        last && <RelativeTime key="last" at={last} />,
      ]}
    />
  )
}

/** Actors beneath each other, one of them chosen. */
export function ActorList({ rows, typed, chosen, isSearching, onChoose }: ActorListProps) {
  const { t } = useTranslation('memory')
  const listed = rows.flatMap((row): readonly ActorView[] => {
    const actorId = identifierOf(row, actorIdentifier)
    return actorId === undefined ? [] : [{ actorId, row }]
  })
  const known = new Set(listed.map(({ actorId }) => actorId))
  const others = isSearching ? [] : typed.filter((actorId) => !known.has(actorId))
  const all: readonly ActorView[] = [...listed, ...others.map((actorId) => ({ actorId, row: undefined }))]
  if (all.length === 0) {
    return (
      <EmptyState icon={Users} title={t(isSearching ? 'actors.noneFound' : 'actors.empty')}>
        {t(isSearching ? 'actors.noneFoundText' : 'actors.emptyText')}
      </EmptyState>
    )
  }
  return (
    <ul className={styles.choices} aria-label={t('actors.title')}>
      {all.map(({ actorId, row }) => (
        <li key={actorId}>
          <button
            type="button"
            className={clsx(styles.choice, actorId === chosen && styles.chosen)}
            aria-current={actorId === chosen ? 'true' : undefined}
            onClick={() => onChoose(actorId)}
          >
            <span className={styles.choiceName} title={actorId}>
              {actorId}
            </span>
            <ActorFacts row={row} />
          </button>
        </li>
      ))}
    </ul>
  )
}
