import clsx from 'clsx'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../../format'
import { nowThere, useNow } from '../../relative-time'
import { endWords } from './end-of-plan'
import { soonMs } from './entries'
import styles from './expiry.module.css'

interface ExpiryProps {
  readonly expiresAt: string
  /** Its end is nothing to worry about. */
  readonly renews?: boolean
  /** The platform says that it is over. */
  readonly isExpired?: boolean
  readonly formats: Formats
  readonly now: Date
  /** Puts the words into a sentence. */
  readonly say?: (when: string, verb: 'expired' | 'renews' | 'expires') => string
}

/** A plan's end: "in 5 days", amber in its last week (not when it renews itself), red afterwards; the exact moment on hover. */
export function ExpiryAt({ expiresAt, renews = false, isExpired = false, formats, now, say }: ExpiryProps) {
  const leftMs = Date.parse(expiresAt) - now.getTime()
  const isOver = isExpired || leftMs <= 0
  const { short, exact } = endWords({ expiresAt, isExpired }, formats, now)
  const verb = isOver ? 'expired' : renews ? 'renews' : 'expires'
  return (
    <time
      dateTime={expiresAt}
      title={exact}
      className={clsx(styles.when, isOver ? styles.over : leftMs <= soonMs && !renews && styles.soon)}
    >
      {say ? say(short, verb) : short}
    </time>
  )
}

/** When a plan ends, in words, as long as it is on the screen; not known of every plan. */
export function Expiry({
  expiresAt,
  renews = false,
  isExpired = false,
  inSentence = false,
  aheadMs,
}: {
  readonly expiresAt: string | undefined
  /** How far the clock of the plan's place is ahead of ours. */
  readonly aheadMs?: number | undefined
  readonly renews?: boolean
  readonly isExpired?: boolean
  readonly inSentence?: boolean
}) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const now = nowThere(useNow(), { aheadMs })
  if (expiresAt === undefined) return inSentence ? null : <span className={styles.faint}>{t('noExpiry')}</span>
  return (
    <ExpiryAt
      expiresAt={expiresAt}
      renews={renews}
      isExpired={isExpired}
      formats={formats}
      now={now}
      {...(inSentence ? { say: (when, verb) => t(verb, { when }) } : {})}
    />
  )
}
