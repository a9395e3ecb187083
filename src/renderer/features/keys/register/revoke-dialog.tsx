import type { MethodInput, MethodOutput, RegisterEntry } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { registerId } from '@shared/key-ids'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useMemo, useRef, useState } from 'react'
import { ExplainedFailure } from '../../../failures'
import { showFailureToast } from '../../../i18n/failures'
import { CallError, call, deferReloads, invalidateDomains, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { RelativeTime } from '../../../relative-time'
import { ConfirmDialog } from '../../../ui/dialog'
import { ProgressBar, Skeleton } from '../../../ui/skeleton'
import { NameList } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { useLastUses } from './entries'

const t = i18next.getFixedT(null, 'register')

const formatKeys = (entries: readonly RegisterEntry[]): string =>
  entries.length === 1 && entries[0] ? entries[0].keyName : t('counts', { count: entries.length })

/** Number of keys per request. Small enough for quick cancellation, large enough to limit the number of requests. */
const batchSize = 50

interface FailedKey {
  readonly entry: RegisterEntry
  readonly failure: Failure
}

type SendKeys = (keys: MethodInput<'register.enable'>['keys']) => Promise<MethodOutput<'register.enable'>>

async function sendBatch(batch: readonly RegisterEntry[], send: SendKeys): Promise<readonly FailedKey[]> {
  try {
    const { failed } = await send(batch.map(registerId))
    return failed.flatMap(({ index, failure }) => batch.slice(index, index + 1).map((entry) => ({ entry, failure })))
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return batch.map((entry) => ({ entry, failure: error.failure }))
  }
}

/** Sends keys in batches while `canContinue`. Continues after a failure. */
function useSendBatches() {
  const queries = useQueryClient()
  return async (entries: readonly RegisterEntry[], send: SendKeys, canContinue = (_sentCount: number) => true) => {
    const failures: FailedKey[] = []
    let sentCount = 0
    await deferReloads(queries, async () => {
      for (; sentCount < entries.length && canContinue(sentCount); sentCount += batchSize)
        failures.push(...(await sendBatch(entries.slice(sentCount, sentCount + batchSize), send)))
    })
    invalidateDomains(queries, ['register', 'account', 'plans', 'tools', 'audit'])
    const failedEntries = new Set(failures.map(({ entry }) => entry))
    return { failures, succeeded: entries.slice(0, sentCount).filter((entry) => !failedEntries.has(entry)) }
  }
}

export function useEnableKeys(): (entries: readonly RegisterEntry[]) => Promise<void> {
  const sendBatches = useSendBatches()
  return async (entries) => {
    const { failures, succeeded } = await sendBatches(entries, (keys) => call('register.enable', { keys }))
    if (succeeded.length > 0) void toast(t('revoking.undone', { what: formatKeys(succeeded) }))
    if (failures[0]) showFailureToast()(new CallError(failures[0].failure))
  }
}

function useRevoke(entries: readonly RegisterEntry[], isLeaving: boolean, onDone: () => void) {
  const enableKey = useEnableKeys()
  const sendBatches = useSendBatches()
  const [doneCount, setDoneCount] = useState(0)
  const isCancelledRef = useRef(false)
  const revoking = useMutation({
    mutationFn: (pendingEntries: readonly RegisterEntry[]) =>
      sendBatches(
        pendingEntries,
        (keys) => call('register.revoke', { keys, ...(isLeaving && { isLeaving }) }),
        (sentCount) => {
          setDoneCount(sentCount)
          return !isCancelledRef.current
        },
      ),
    onSuccess: ({ failures, succeeded }) => {
      if (succeeded.length > 0) {
        const action = { label: t('revoking.undo'), onClick: () => void enableKey(succeeded) }
        void toast(t('revoking.done', { what: formatKeys(succeeded) }), { action })
      }
      if (failures.length === 0 || isCancelledRef.current) onDone()
    },
  })
  const { isPending, data } = revoking
  const failed = data?.failures ?? []
  const cancel = (): void => {
    isCancelledRef.current = true
  }
  const revoke = (): void => revoking.mutate(failed.length > 0 ? failed.map(({ entry }) => entry) : entries)
  return { isPending, doneCount, failed, cancel, revoke }
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

function LastUse({ entries }: { readonly entries: readonly RegisterEntry[] }) {
  const [newest] = useLastUses(entries).toSorted((a, b) => (b.lastUsedAt ?? '').localeCompare(a.lastUsedAt ?? ''))
  if (!newest?.lastUsedFrom) return null
  const { lastUsedAt, lastUsedFrom } = newest
  return (
    <p>
      {t('columns.used')}: {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('notUsedLately')} (
      {t(`usedFrom.${lastUsedFrom}`)})
    </p>
  )
}

function AffectedEntries({ entries, holder, isLeaving }: RevokedKeys) {
  const keys = useMemo(() => entries.map(registerId), [entries])
  const query = useCall('register.previewRevoke', { keys }, { staleTime: 0 })
  return (
    <div className="flex flex-col gap-2">
      <p>{t(isLeaving ? 'revoking.textLeave' : 'revoking.text')}</p>
      {entries.length > 1 || holder !== undefined ? (
        <Names
          text={t('revoking.keys', { count: entries.length })}
          names={entries.map(({ keyName: key, planName, planLabel: plan = planName }) => t('keyOfPlan', { key, plan }))}
        />
      ) : null}
      <LastUse entries={entries} />
      <Loaded
        query={query}
        skeleton={
          <p role="status">
            <span className="sr-only">{t('revoking.looking')}</span>
            <Skeleton width={240} />
          </p>
        }
      >
        {({ tools, unknownTools, holders }) =>
          tools.length + unknownTools.length + holders.length === 0 ? (
            <p>{t('revoking.nothing')}</p>
          ) : (
            <>
              <Names text={t('revoking.tools')} names={tools} />
              <Names text={t('revoking.unknownTools')} names={unknownTools} />
              <Names text={t('revoking.holders')} names={holders} />
            </>
          )
        }
      </Loaded>
    </div>
  )
}

export interface RevokedKeys {
  readonly entries: readonly RegisterEntry[]
  readonly holder?: string
  /** Whether the holder leaves, so that the keys are deleted after 7 days. */
  readonly isLeaving?: boolean
}

interface RevokeDialogProps extends RevokedKeys {
  readonly onClose: () => void
  readonly onDone?: () => void
}

export function RevokeDialog({ onClose, onDone = onClose, ...keys }: RevokeDialogProps) {
  const { entries, holder, isLeaving = false } = keys
  const keysText = formatKeys(entries)
  const { isPending, doneCount, failed, cancel, revoke } = useRevoke(entries, isLeaving, onDone)
  return (
    <ConfirmDialog
      danger
      onClose={isPending ? cancel : onClose}
      title={
        holder === undefined
          ? t('revoking.title', { what: keysText })
          : t(isLeaving ? 'revoking.titleLeave' : 'revoking.titleAll', { holder })
      }
      description={<AffectedEntries {...keys} />}
      confirmLabel={t('revoking.confirm')}
      busy={isPending}
      onConfirm={revoke}
    >
      {isPending && entries.length > batchSize ? (
        <ProgressBar
          value={doneCount / entries.length}
          label={t('revoking.progress', { done: doneCount, count: entries.length })}
        />
      ) : null}
      <Names text={t('revoking.left')} names={failed.map(({ entry }) => entry.keyName)} />
      <ExplainedFailure failure={failed[0]?.failure} />
    </ConfirmDialog>
  )
}
