import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Meter } from '../../../ui/meter'
import type { Json } from '../../resources/resource'
import styles from '../memory.module.css'
import { contentOf } from '../names'
import parts from '../search.module.css'
import type { FoundRecord, Standing } from './found'

interface FoundListProps {
  readonly label: string
  readonly found: readonly FoundRecord[]
  /** How each stands in the other search, while two are compared. */
  readonly standings: ReadonlyMap<string, Standing> | undefined
  readonly onOpen: (row: Json) => void
}

function Stands({ standing }: { readonly standing: Standing | undefined }) {
  const { t } = useTranslation('memory')
  if (!standing) return null
  if (standing.kind === 'only') return <Badge tone="accent">{t('search.onlyHere')}</Badge>
  const { better } = standing
  if (better === 0) return <Badge>{t('search.sameRank')}</Badge>
  return (
    <Badge tone={better > 0 ? 'success' : 'warning'}>
      {t(better > 0 ? 'search.better' : 'search.worse', { count: Math.abs(better) })}
    </Badge>
  )
}

function Score({ score, share }: Pick<FoundRecord, 'score' | 'share'>) {
  const { t } = useTranslation('memory')
  const { locale } = useFormats()
  if (score === undefined || share === undefined) return <span className={styles.quiet}>{t('search.noScore')}</span>
  const words = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(score)
  return (
    <>
      <span className={parts.bar}>
        <Meter label={t('search.score')} value={share} text={words} size="sm" />
      </span>
      <span className={parts.score}>{words}</span>
    </>
  )
}

/** What a search found, best first, with its scores as bars. */
export function FoundList({ label, found, standings, onOpen }: FoundListProps) {
  return (
    <ol className={parts.found} aria-label={label}>
      {found.map(({ key, rank, row, score, share }) => (
        <li key={key}>
          <span className={parts.rank}>{rank}</span>
          <div className={parts.foundWords}>
            <button type="button" className={parts.foundText} onClick={() => onOpen(row)}>
              {contentOf(row)}
            </button>
            <span className={parts.scoreLine}>
              <Score score={score} share={share} />
              <Stands standing={standings?.get(key)} />
            </span>
          </div>
        </li>
      ))}
    </ol>
  )
}
