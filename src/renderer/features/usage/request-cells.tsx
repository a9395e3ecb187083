import type { UsageRequest } from '@shared/contract'
import clsx from 'clsx'
import { useTranslation } from 'react-i18next'
import type { Formats } from '../../format'
import { StatusDot } from '../../ui/badge'
import { cacheTokens, isCountedHere, requestTokens } from './request-tokens'
import styles from './usage.module.css'

interface CellProps {
  readonly request: UsageRequest
  readonly formats: Formats
}

const dash = '—'

/** When a request was sent: the day, quietly, and the time. */
export function AtCell({ request: { at }, formats }: CellProps) {
  const day = new Intl.DateTimeFormat(formats.locale, { day: 'numeric', month: 'short' }).format(new Date(at))
  return (
    <time dateTime={at} title={formats.dateTime(at)} className={styles.clip}>
      <span className={styles.dim}>{day}</span> {formats.time(at)}
    </time>
  )
}

/** How a request ended: the status and what that means. */
export function StatusCell({ request: { status, error } }: Pick<CellProps, 'request'>) {
  const { t } = useTranslation('usage')
  const word = error ? t(`errorKinds.${error}`) : status === undefined ? t('requests.ended') : t('requests.ok')
  const isGone = error === 'aborted' || error === 'cut'
  const tone = error === undefined ? 'success' : isGone ? 'warning' : 'danger'
  const label = status === undefined ? word : `${status} · ${word}`
  return (
    <span className={styles.state} title={label}>
      <StatusDot tone={tone} label={label} />
    </span>
  )
}

/** Tokens consumed; what was counted here says so. */
export function TokensCell({ request, formats }: CellProps) {
  const { t } = useTranslation('usage')
  const total = requestTokens(request)
  if (total === undefined) return <span className={styles.faint}>{dash}</span>
  if (!isCountedHere(request)) return formats.number(total)
  return (
    <span className={styles.clip} title={t('requests.countedHere')}>
      ≈ {formats.number(total)}
    </span>
  )
}

/** Input, output and cache tokens of a request, short; the exact ones on hover and for a screen reader. */
export function PartsCell({ request, formats }: CellProps) {
  const parts = [request.inputTokens, request.outputTokens, cacheTokens(request)]
  if (parts.every((part) => part === undefined)) return <span className={styles.faint}>{dash}</span>
  const told = (figure: (part: number) => string): string =>
    parts.map((part) => (part === undefined ? dash : figure(part))).join(' / ')
  const exact = told(formats.number)
  return (
    <span className={clsx(styles.dim, styles.clip)} title={exact}>
      <span aria-hidden="true">{told((part) => formats.count(part).short)}</span>
      <span className="sr-only">{exact}</span>
    </span>
  )
}

/** A text, or a dash where nobody told. */
export function TextCell({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <span className={styles.faint}>{dash}</span>
  return (
    <span className={styles.clip} title={text}>
      {text}
    </span>
  )
}

/** The model with its colour. */
export function ModelCell({ code, colour }: { readonly code: string; readonly colour: string }) {
  return (
    <span className={styles.model} title={code}>
      <span className={styles.hue} style={{ background: colour }} aria-hidden="true" />
      <span>{code}</span>
    </span>
  )
}
