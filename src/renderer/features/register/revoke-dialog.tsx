import type { MethodOutput, RegisterEntry } from '@shared/contract'
import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { call, callKey } from '../../ipc'
import { ConfirmDialog } from '../../ui/dialog'
import { Skeleton } from '../../ui/skeleton'
import { holdersOf, keyOf } from '../account'
import { ExplainedFailure } from '../failures/explained-failure'
import registerStyles from './register.module.css'
import { useKeysWords, useRevoke } from './use-revoke'

type Preview = MethodOutput<'register.previewRevoke'>

/** What stops when these keys stop, each thing once; nothing while it is being looked for. */
function useBreaks(entries: readonly RegisterEntry[]) {
  return useQueries({
    queries: entries.map(({ planId, keyId }) => ({
      queryKey: callKey('register.previewRevoke', { planId, keyId }),
      queryFn: () => call('register.previewRevoke', { planId, keyId }),
      staleTime: 0,
    })),
    combine: (results) => {
      const known: readonly Preview[] = results.flatMap(({ data }) => data ?? [])
      return {
        isLooking: results.some(({ isPending }) => isPending),
        tools: [...new Set(known.flatMap(({ tools }) => tools))],
        unknownTools: [...new Set(known.flatMap(({ unknownTools }) => unknownTools ?? []))],
        holders: [...new Set([...known.flatMap(({ holder }) => holder?.name ?? []), ...entries.flatMap(holdersOf)])],
      }
    },
  })
}

function Names({ text, names }: { readonly text: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <>
      <p>{text}</p>
      <ul className={registerStyles.breaks}>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  )
}

function Breaks({
  entries,
  holder,
}: {
  readonly entries: readonly RegisterEntry[]
  readonly holder: string | undefined
}) {
  const { t } = useTranslation('register')
  const { isLooking, tools, unknownTools, holders } = useBreaks(entries)
  const isNothing = [tools, unknownTools, holders].every((names) => names.length === 0)
  return (
    <div className={registerStyles.question}>
      <p>{t('revoking.text')}</p>
      {entries.length > 1 || holder !== undefined ? (
        <Names
          text={t('revoking.keys', { count: entries.length })}
          names={entries.map(({ keyName: key, planName: plan }) => t('keyOfPlan', { key, plan }))}
        />
      ) : null}
      {isLooking ? (
        <p role="status">
          <span className="sr-only">{t('revoking.looking')}</span>
          <Skeleton width={240} />
        </p>
      ) : isNothing ? (
        <p>{t('revoking.nothing')}</p>
      ) : (
        <>
          <Names text={t('revoking.tools')} names={tools} />
          <Names text={t('revoking.unknownTools')} names={unknownTools} />
          <Names text={t('revoking.holders')} names={holders} />
        </>
      )}
    </div>
  )
}

/** Asks before keys are disabled at the account: which, and what breaks, by name. */
export function RevokeDialog({
  entries,
  holder,
  onClose,
  onDone,
}: {
  readonly entries: readonly RegisterEntry[]
  /** Whose keys these all are. */
  readonly holder?: string | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t } = useTranslation('register')
  const what = useKeysWords()(entries)
  const { isPending, left, failure, revoke } = useRevoke(entries, onDone)
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => {
        if (!open && !isPending) onClose()
      }}
      title={holder === undefined ? t('revoking.title', { what }) : t('revoking.titleAll', { holder })}
      description={<Breaks entries={entries} holder={holder} />}
      confirmLabel={t('revoking.confirm')}
      busy={isPending}
      onConfirm={revoke}
    >
      {failure ? (
        <>
          <p key={left.map(keyOf).join()} className={registerStyles.warningText}>
            {t('revoking.left', { keys: left.map(({ keyName }) => keyName).join(', ') })}
          </p>
          <ExplainedFailure failure={failure} />
        </>
      ) : null}
    </ConfirmDialog>
  )
}
