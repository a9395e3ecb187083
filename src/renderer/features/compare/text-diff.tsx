import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DiffView } from '../../ui/diff-view'
import { Segmented } from '../../ui/radio-cards'
import styles from './text-diff.module.css'
import { changedLines, changedWords } from './text-lines'

const ways = ['split', 'inline', 'words'] as const
type Way = (typeof ways)[number]

interface Sides {
  readonly before: string
  readonly after: string
  /** What they are called. */
  readonly names: readonly [string, string]
}

function Lines({ before, after, names, layout }: Sides & { readonly layout: 'split' | 'inline' }) {
  const { t } = useTranslation('compare')
  const lines = useMemo(() => changedLines(before, after), [before, after])
  const words = {
    added: t('diff.added'),
    removed: t('diff.removed'),
    secret: '',
    before: names[0],
    after: names[1],
    gap: (count: number) => t('diff.gap', { count }),
  }
  return <DiffView lines={lines} layout={layout} label={t('diff.label')} words={words} />
}

function Words({ before, after }: Sides) {
  const { t } = useTranslation('compare')
  const changes = useMemo(() => changedWords(before, after), [before, after])
  if (!changes) return <p className={styles.note}>{t('diff.tooDifferent')}</p>
  return (
    <p className={styles.words}>
      {changes.map(({ kind, text, at }) =>
        kind === 'same' ? (
          <span key={at}>{text}</span>
        ) : kind === 'added' ? (
          <ins key={at}>{text}</ins>
        ) : (
          <del key={at}>{text}</del>
        ),
      )}
    </p>
  )
}

/** What sets two texts apart: line by line, side by side or beneath each other, or word by word. */
export function TextDiff(props: Sides) {
  const { t } = useTranslation('compare')
  const { before, after, names } = props
  const [way, setWay] = useState<Way>('split')
  return (
    <div className={styles.diff}>
      <div className={styles.bar}>
        <p className={styles.names}>
          <del>{names[0]}</del>
          <ins>{names[1]}</ins>
        </p>
        <Segmented
          label={t('diff.way')}
          value={way}
          onValueChange={(value) => setWay(ways.find((one) => one === value) ?? 'split')}
          segments={ways.map((value) => ({ value, label: t(`diff.ways.${value}`) }))}
        />
      </div>
      {before === after ? (
        <p className={styles.note}>{t('diff.same')}</p>
      ) : (
        <div className={styles.frame}>{way === 'words' ? <Words {...props} /> : <Lines {...props} layout={way} />}</div>
      )}
    </div>
  )
}
