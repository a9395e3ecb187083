import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Button } from '../../../ui/button'
import { ProgressBar } from '../../../ui/spinner'
import styles from '../memory.module.css'
import type { OpenSet, RecordState } from './record-loader'
import type { SetSearch } from './use-set-search'

const tickMs = 500

/** How long something has been going on, in ms. */
function useElapsed(sinceMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, now - sinceMs)
}

function Asking({
  asking,
  sinceMs,
  onStop,
}: {
  readonly asking: number
  readonly sinceMs: number
  readonly onStop: () => void
}) {
  const { t } = useTranslation(['memory', 'common'])
  const { number, duration } = useFormats()
  const words = t('memory:records.loadingAll', { count: number(asking) })
  const elapsedMs = useElapsed(sinceMs)
  return (
    <div className={styles.asking}>
      <span role="status">{words}</span>
      <span className={styles.quiet}>{elapsedMs < tickMs ? '' : duration(elapsedMs)}</span>
      <span className={styles.askingBar}>
        <ProgressBar label={words} />
      </span>
      <Button size="sm" onClick={onStop}>
        {t('common:cancel')}
      </Button>
    </div>
  )
}

/** Says that more records are on their way, or why there are not more. */
export function LoadingAll({
  records,
  wished,
  onStop,
}: {
  readonly records: RecordState
  readonly wished: number
  readonly onStop: () => void
}) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const { set, asking, sinceMs, refused, isStopped } = records
  if (!set) return null
  if (asking !== undefined && set.total > 0) return <Asking {...{ asking, sinceMs, onStop }} />
  const isFull = set.total >= set.limit
  if (!isFull) return null
  const count = number(set.total)
  const words = isStopped
    ? t('records.stopped', { count })
    : refused !== undefined
      ? t('records.refused', { count, refused: number(refused) })
      : t('records.maybeMore', { count, limit: number(Math.min(wished, set.limit)) })
  return <p className={styles.quiet}>{words}</p>
}

/** How many records are loaded, or how many of them were found. */
export function FoundWords({
  set,
  search,
}: {
  readonly set: OpenSet | undefined
  readonly search: SetSearch | undefined
}) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  if (!set) return null
  if (!search) return t('records.loaded', { count: set.total, shown: number(set.total) })
  const shown = number(search.places.length)
  const loaded = number(set.total)
  return search.looked < set.total
    ? t('records.searching', { shown, looked: number(search.looked), loaded })
    : t('records.found', { shown, loaded })
}
