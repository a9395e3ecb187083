import type { TeamConflict } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures'

type Version = TeamConflict['own']

/** What a version says, field by field; the same fields for both, so that they can be compared line by line. */
function useVersionRows(): (version: Version) => readonly (readonly [string, string])[] {
  const { t } = useTranslation('team')
  const { date } = useFormats()
  const day = (at: string | undefined): string => (at === undefined ? '' : date(at))
  return ({ holder, purpose = '', machine = '', handedOutAt, acknowledgedAt, rotatedAt, alsoServes }) => [
    [t('fields.holder'), holder?.name ?? ''],
    [t('fields.alsoServes'), alsoServes.join(', ')],
    [t('fields.purpose'), purpose],
    [t('fields.machine'), machine],
    [t('fields.handedOut'), day(handedOutAt)],
    [t('fields.acknowledged'), day(acknowledgedAt)],
    [t('fields.rotated'), day(rotatedAt)],
  ]
}

interface VersionProps {
  readonly title: string
  readonly badge?: string
  readonly rows: readonly (readonly [string, string])[]
  readonly others: readonly (readonly [string, string])[]
  readonly action: React.ReactNode
}

function VersionCard({ title, badge, rows, others, action }: VersionProps) {
  const { t } = useTranslation('team')
  // What neither version says anything of is left out.
  const shown = rows.flatMap(([label, value], at) => {
    const other = others[at]?.[1] ?? ''
    return value === '' && other === '' ? [] : [{ label, value, isOther: value !== other }]
  })
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-3 rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2 font-medium">
        {title}
        {badge === undefined ? null : <Badge tone="accent">{badge}</Badge>}
      </div>
      <dl className="flex flex-1 flex-col gap-1">
        {shown.map(({ label, value, isOther }) => (
          <div key={label} className="flex flex-wrap gap-x-3">
            <dt className="w-32 shrink-0 text-muted">{label}</dt>
            <dd className={isOther ? 'min-w-0 font-semibold' : 'min-w-0 text-muted'}>
              {value === '' ? t('conflicts.nothing') : value}
            </dd>
          </div>
        ))}
      </dl>
      <div>{action}</div>
    </div>
  )
}

function Conflict({ conflict, isOnline }: { readonly conflict: TeamConflict; readonly isOnline: boolean }) {
  const { t } = useTranslation('team')
  const rowsOf = useVersionRows()
  const resolving = useAction('team.resolve', { invalidates: ['team', 'register'] })
  const { id, planName, keyName, own, ownBy, shared, sharedBy, at } = conflict
  const [ownRows, sharedRows] = [rowsOf(own), rowsOf(shared)]
  const keep = (which: 'own' | 'shared') => (
    <Button
      size="sm"
      disabled={!isOnline}
      busy={resolving.isPending && resolving.variables?.keep === which}
      aria-label={t('conflicts.keepOf', { key: keyName, who: (which === 'own' ? ownBy : sharedBy) ?? '' })}
      onClick={() => resolving.mutate({ id, keep: which })}
    >
      {t('conflicts.keep')}
    </Button>
  )
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-2">
        <span className="font-semibold">{t('conflicts.of', { key: keyName, plan: planName })}</span>
        <span className="text-muted text-sm">
          <RelativeTime at={at} />
        </span>
      </div>
      <div className="flex flex-wrap gap-3">
        <VersionCard
          title={sharedBy === undefined ? t('conflicts.shared') : t('conflicts.by', { who: sharedBy })}
          badge={t('conflicts.current')}
          rows={sharedRows}
          others={ownRows}
          action={keep('shared')}
        />
        <VersionCard
          title={t('conflicts.by', { who: ownBy })}
          rows={ownRows}
          others={sharedRows}
          action={keep('own')}
        />
      </div>
      {resolving.error ? <ExplainedFailure failure={resolving.error.failure} /> : null}
    </Card>
  )
}

/** Notes that two people changed at the same time: both versions, and a choice. */
export function ConflictList({
  conflicts,
  isOnline,
}: {
  readonly conflicts: readonly TeamConflict[]
  readonly isOnline: boolean
}) {
  const { t } = useTranslation('team')
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
