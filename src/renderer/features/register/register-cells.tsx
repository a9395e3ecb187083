import type { RegisterEntry } from '@shared/contract'
import clsx from 'clsx'
import type { TFunction } from 'i18next'
import { Bot, TriangleAlert, UserRound } from 'lucide-react'
import type { Formats } from '../../format'
import { StatusDot, type Tone } from '../../ui/badge'
import { Stack } from '../../ui/stack'
import { isUnacknowledged } from './entries'
import styles from './register.module.css'

/** What the cells of all rows share. */
export interface Around {
  readonly t: TFunction<'register'>
  readonly tRotation: TFunction<'rotation'>
  readonly formats: Formats
  readonly now: Date
}

interface CellProps {
  readonly entry: RegisterEntry
  readonly around: Around
}

/** The colour of each status; a word always goes with it. */
export const statusTones: Record<RegisterEntry['status'], Tone> = {
  ACTIVE: 'success',
  DISABLED: 'neutral',
  unknown: 'neutral',
  gone: 'danger',
}

function When({ at, around: { formats, now } }: { readonly at: string; readonly around: Around }) {
  const { short, exact } = formats.relative(at, now)
  return (
    <time dateTime={at} title={exact}>
      {short}
    </time>
  )
}

/** What a key is called, of which plan, and its masked form. */
export function KeyCell({ entry }: CellProps) {
  const { keyName, planName, masked } = entry
  return (
    <Stack>
      <span className={styles.name} title={keyName}>
        {keyName}
      </span>
      <span className={styles.quiet} title={planName}>
        {planName}
        {masked === undefined ? null : <code className={styles.masked}> {masked}</code>}
      </span>
    </Stack>
  )
}

/** Who holds it, what for and where; or whom it serves as well. */
export function HolderCell({ entry, around: { t, formats } }: CellProps) {
  const { holder, purpose, machine, alsoServes } = entry
  const Icon = holder?.kind === 'tool' ? Bot : UserRound
  const more = [purpose, machine].filter(Boolean).join(' · ')
  const others = new Intl.ListFormat(formats.locale).format(alsoServes)
  return (
    <Stack>
      {holder ? (
        <span className={styles.holder} title={holder.name}>
          <Icon size={14} strokeWidth={1.8} role="img" aria-label={t(`kinds.${holder.kind}`)} />
          <span className={styles.cut}>{holder.name}</span>
        </span>
      ) : (
        <span className={styles.faint}>{t('noHolder')}</span>
      )}
      {alsoServes.length > 0 ? (
        <span className={styles.warning} title={t('alsoServesHint')}>
          <TriangleAlert size={12} strokeWidth={2} aria-hidden="true" />
          <span className={styles.cut}>{t('alsoServes', { names: others })}</span>
        </span>
      ) : more === '' ? null : (
        <span className={styles.quiet} title={more}>
          {more}
        </span>
      )}
    </Stack>
  )
}

/** Whether it works, and whether this computer has it. */
export function StatusCell({ entry, around: { t } }: CellProps) {
  const { status, isKeptHere } = entry
  const hint = status === 'unknown' || status === 'gone' ? t(`statusHints.${status}`) : undefined
  return (
    <Stack title={hint}>
      <StatusDot tone={statusTones[status]} label={t(`statuses.${status}`)} />
      {isKeptHere ? null : <span className={styles.quiet}>{t('notHere')}</span>}
    </Stack>
  )
}

/** When it was handed out, and whether word came back. */
export function HandedOutCell({ entry, around }: CellProps) {
  const { t, formats, now } = around
  const { handedOutAt, acknowledgedAt } = entry
  if (handedOutAt === undefined) return <span className={styles.faint}>{t('notHandedOut')}</span>
  return (
    <Stack>
      <When at={handedOutAt} around={around} />
      <span className={clsx(styles.quiet, isUnacknowledged(entry) && styles.warningText)}>
        {acknowledgedAt === undefined
          ? t('unacknowledged')
          : t('acknowledged', { when: formats.relative(acknowledgedAt, now).short })}
      </span>
    </Stack>
  )
}

/** When it was made, and when it took the place of another. */
export function CreatedCell({ entry, around }: CellProps) {
  const { t, formats, now } = around
  const { createdAt, rotatedAt } = entry
  return (
    <Stack>
      {createdAt === undefined ? (
        <span className={styles.faint}>{t('unknownTime')}</span>
      ) : (
        <When at={createdAt} around={around} />
      )}
      {rotatedAt === undefined ? null : (
        <span className={styles.quiet}>{t('rotated', { when: formats.relative(rotatedAt, now).short })}</span>
      )}
    </Stack>
  )
}

/** When it was last used as far as this computer knows, and by which tools. */
export function UsedCell({ entry, around }: CellProps) {
  const { t } = around
  const { lastUsedAt, tools } = entry
  const names = tools.join(', ')
  return (
    <Stack>
      {lastUsedAt === undefined ? (
        <span className={styles.faint}>{t('neverUsed')}</span>
      ) : (
        <When at={lastUsedAt} around={around} />
      )}
      {names === '' ? null : (
        <span className={styles.quiet} title={names}>
          {names}
        </span>
      )}
    </Stack>
  )
}
