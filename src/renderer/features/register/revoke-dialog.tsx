import type { MethodOutput, RegisterEntry } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureToast } from '../../i18n/failures'
import { CallError, call, callKey, invalidateDomains } from '../../ipc'
import { ConfirmDialog } from '../../ui/dialog'
import { Skeleton } from '../../ui/skeleton'
import { NameList } from '../../ui/text'
import { toast } from '../../ui/toast'
import { entryKey, listHolders } from '../account'
import { ExplainedFailure } from '../failures'

const touched = ['register', 'account', 'plans', 'tools', 'audit'] as const

/** Says which keys are meant: one by its name, more by their number. */
function useKeysWords(): (entries: readonly RegisterEntry[]) => string {
  const { t } = useTranslation('register')
  return (entries) => (entries.length === 1 && entries[0] ? entries[0].keyName : t('counts', { count: entries.length }))
}

/** Enables revoked keys again. */
export function useEnable(): (entries: readonly RegisterEntry[]) => Promise<void> {
  const { t } = useTranslation('register')
  const tellFailure = useFailureToast()
  const keysWords = useKeysWords()
  const queries = useQueryClient()
  return async (entries) => {
    try {
      for (const entry of entries) {
        if (entry.origin) await call('account.setKeyStatus', { ...entry.origin, status: 'ACTIVE' })
      }
      await toast(t('revoking.undone', { what: keysWords(entries) }))
    } catch (error) {
      tellFailure()(error)
    } finally {
      invalidateDomains(queries, touched)
    }
  }
}

interface Revoking {
  readonly isPending: boolean
  /** The keys that were not revoked, and why the first of them was not. */
  readonly left: readonly RegisterEntry[]
  readonly failure: Failure | undefined
}

const atRest: Revoking = { isPending: false, left: [], failure: undefined }

/** Revokes keys one after the other; one that cannot be does not stop the others. What was done is said in a toast with an undo. */
function useRevoke(entries: readonly RegisterEntry[], onDone: () => void) {
  const { t } = useTranslation('register')
  const keysWords = useKeysWords()
  const enable = useEnable()
  const queries = useQueryClient()
  const [revoking, setRevoking] = useState(atRest)
  const revoke = async (): Promise<void> => {
    if (revoking.isPending) return
    setRevoking({ ...atRest, isPending: true })
    const failures: { readonly entry: RegisterEntry; readonly failure: Failure }[] = []
    for (const entry of revoking.left.length > 0 ? revoking.left : entries) {
      await call('register.revoke', { planId: entry.planId, keyId: entry.keyId }).catch((error: unknown) => {
        if (!(error instanceof CallError)) throw error
        failures.push({ entry, failure: error.failure })
      })
    }
    const left = failures.map(({ entry }) => entry)
    const done = entries.filter((entry) => !left.includes(entry))
    invalidateDomains(queries, touched)
    setRevoking({ isPending: false, left, failure: failures[0]?.failure })
    if (done.length > 0) {
      const action = { label: t('revoking.undo'), onClick: () => void enable(done) }
      void toast(t('revoking.done', { what: keysWords(done) }), { action })
    }
    if (left.length === 0) onDone()
  }
  return { ...revoking, revoke: () => void revoke() }
}

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
        holders: [...new Set([...known.flatMap(({ holder }) => holder?.name ?? []), ...entries.flatMap(listHolders)])],
      }
    },
  })
}

function Names({ text, names }: { readonly text: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <>
      <p>{text}</p>
      <NameList names={names} />
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
    <div className="flex flex-col gap-2">
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
      danger
      onClose={() => {
        if (!isPending) onClose()
      }}
      title={holder === undefined ? t('revoking.title', { what }) : t('revoking.titleAll', { holder })}
      description={<Breaks entries={entries} holder={holder} />}
      confirmLabel={t('revoking.confirm')}
      busy={isPending}
      onConfirm={revoke}
    >
      {failure ? (
        <>
          <p key={left.map(entryKey).join()} className="text-warning">
            {t('revoking.left', { keys: left.map(({ keyName }) => keyName).join(', ') })}
          </p>
          <ExplainedFailure failure={failure} />
        </>
      ) : null}
    </ConfirmDialog>
  )
}
