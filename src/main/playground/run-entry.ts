import type { PlaygroundRun } from '@shared/contract'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { LedgerEntry } from '../usage/entry'
import { errorKindOf } from '../usage/error-kind'
import type { OpenTarget } from './targets'

/** What a status means where the failure's own code does not say: the platform's and a local server's. */
const statusKinds: Readonly<Record<number, UsageErrorKind>> = {
  401: 'key',
  402: 'plan',
  403: 'model',
  404: 'path',
  429: 'rateLimit',
}

/** A run that is over, as the usage ledger notes it; undefined when nothing was sent. */
export function entryOfRun(run: PlaygroundRun, { standard, keyId }: OpenTarget): LedgerEntry | undefined {
  const { id, target, startedAt, status, durationMs, firstTokenMs } = run
  const error = errorOf(run)
  if (status === undefined && error === undefined) return undefined
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = run
  return {
    ...{ id: `app:${id}`, source: 'app', at: Date.parse(startedAt), modelCode: target.modelCode, standard },
    ...(target.kind === 'plan' ? { planId: target.planId, keyId } : {}),
    ...{ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
    ...{ status, durationMs, firstByteMs: firstTokenMs, error },
  }
}

function errorOf({ state, failure, status }: PlaygroundRun): UsageErrorKind | undefined {
  if (state === 'done') return undefined
  // Without a failure a cut run is one that the end of the app cut off.
  if (state === 'stopped' || failure === undefined) return 'aborted'
  const kind = errorKindOf(failure.code)
  if (state === 'cut') return kind === 'network' || kind === undefined ? 'cut' : kind
  if (kind !== undefined || status === undefined) return kind
  return statusKinds[status] ?? (status >= 500 ? 'server' : 'badRequest')
}
