import type { AuditEntry, MethodOutput } from '@shared/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ScrollText, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { type CallError, call, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { stepIds, undoStepIds } from '../rotation/progress'
import { useStepWords } from '../rotation/use-step-words'
import { AuditVerdictNotice } from './audit-verdict'
import styles from './register.module.css'

type Page = MethodOutput<'audit.list'>

/** How many lines are read at a time. */
const pageSize = 100

/** The trail from its newest line on, as far back as was asked for. */
function useTrail() {
  return useInfiniteQuery<Page, CallError, readonly AuditEntry[], readonly string[], number | undefined>({
    queryKey: ['audit.list', 'pages'],
    queryFn: ({ pageParam }) =>
      call('audit.list', { limit: pageSize, ...(pageParam === undefined ? {} : { before: pageParam }) }),
    initialPageParam: undefined,
    getNextPageParam: (last) => (last.length < pageSize ? undefined : last.at(-1)?.number),
    select: ({ pages }) => pages.flat(),
  })
}

/** What an entry is about; a rotation notes its new key and, behind a colon, the step, which has words of its own. */
function useAboutWords(): (entry: AuditEntry) => string {
  const { t } = useTranslation('register')
  const words = useStepWords()
  return ({ what, secretKind, planName, keyName, subject }) => {
    const kind = secretKind && t(`audit.secretKinds.${secretKind}`)
    if (!what.startsWith('rotation')) return [kind, keyName, planName, subject].filter(Boolean).join(' · ')
    const step = [...stepIds, ...undoStepIds].find((id) => subject?.endsWith(`: ${id}`))
    const newKey = step === undefined ? subject : subject?.slice(0, -`: ${step}`.length)
    const keys = [keyName, newKey].filter(Boolean).join(' → ')
    return [step && words(step), keys, planName].filter(Boolean).join(' · ')
  }
}

function Line({ entry, isBroken }: { readonly entry: AuditEntry; readonly isBroken: boolean }) {
  const { t } = useTranslation('register')
  const { date, time, dateTime } = useFormats()
  const aboutWords = useAboutWords()
  const { number, at, what, by } = entry
  return (
    <li className={clsx(styles.line, isBroken && styles.broken)}>
      <span className={styles.lineNumber} title={t('audit.number', { number })}>
        {number}
      </span>
      <time className={styles.lineTime} dateTime={at} title={dateTime(at)}>
        {date(at)} {time(at)}
      </time>
      <span className={styles.lineWhat}>
        {isBroken ? (
          <TriangleAlert size={13} strokeWidth={2} role="img" aria-label={t('audit.broken')} className={styles.bad} />
        ) : null}
        {t(`audit.what.${what}`)}
      </span>
      <span className={styles.lineAbout}>{aboutWords(entry)}</span>
      <span className={styles.lineBy}>{t(`audit.by.${by}`)}</span>
    </li>
  )
}

function Lines({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const { t } = useTranslation('register')
  const { data: verdict } = useCall('audit.verify', {})
  const brokenAt = verdict?.brokenAt ?? Number.POSITIVE_INFINITY
  return (
    <ol className={styles.trail} aria-label={t('audit.list')}>
      {entries.map((entry) => (
        <Line key={entry.number} entry={entry} isBroken={entry.number >= brokenAt} />
      ))}
    </ol>
  )
}

/** What was done with keys here, newest first, and whether the record of it is whole. */
export function AuditTrail() {
  const { t } = useTranslation('register')
  const trail = useTrail()
  return (
    <div className={toolbar.list}>
      <p className={styles.quiet}>{t('audit.state')}</p>
      <AuditVerdictNotice />
      <Loaded query={trail} skeleton={<SkeletonRows rows={6} />}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState icon={ScrollText} title={t('audit.none')}>
              {t('audit.noneText')}
            </EmptyState>
          ) : (
            <Lines entries={entries} />
          )
        }
      </Loaded>
      {trail.hasNextPage ? (
        <Button className={styles.older} busy={trail.isFetchingNextPage} onClick={() => void trail.fetchNextPage()}>
          {t('audit.older')}
        </Button>
      ) : null}
    </div>
  )
}
