import type { ApiStandardName, CredentialHeader } from './gateway/standard'

const maxEntries = 500
const maxTextLength = 200

/** A request as the control API shows it, without keys and conversation texts. */
export interface RequestRecord {
  /** Sequence number of the answered request. */
  readonly n: number
  readonly area: 'gateway' | 'platform'
  /** Id of the operation, if the path belongs to one. */
  readonly operation?: string
  /** ISO 8601 UTC in the sandbox's clock. */
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly standard: ApiStandardName | null
  readonly modelCode?: string
  readonly planName?: string
  readonly keyName?: string
  readonly credentialHeaders: readonly CredentialHeader[]
  readonly userAgent?: string
  readonly stream: boolean
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Prompt tokens read from or written to the cache. Not included in the input tokens. */
  readonly cacheTokens?: number
  readonly durationMs: number
  /** The refusal's code, `client_closed`, `cut_by_fault` or `dropped_by_fault`. */
  readonly error?: string
}

export interface RequestTrace {
  readonly note: (fields: Partial<Omit<RequestRecord, 'n' | 'durationMs'>>) => void
  /** Records the request once. Later calls do nothing. */
  readonly finish: (status: number) => void
}

export interface Journal {
  readonly open: (request: Pick<RequestRecord, 'area' | 'at' | 'method' | 'path' | 'standard'>) => RequestTrace
  readonly after: (n: number) => readonly RequestRecord[]
  readonly clear: () => void
}

type Draft = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] }

/** Redacts anything that looks like a key. Clients put keys in odd places, such as a path or a model name. */
function redactKeys(text: string): string {
  return text.replace(/(?<![\w-])(?:sk|pk|cs|rb|dk|key|iam-sandbox)-[\w.-]{6,}/gi, '[key]').slice(0, maxTextLength)
}

function redactDraft(draft: Draft): void {
  draft.path = redactKeys(draft.path)
  if (draft.modelCode !== undefined) draft.modelCode = redactKeys(draft.modelCode)
  if (draft.userAgent !== undefined) draft.userAgent = redactKeys(draft.userAgent)
}

export function createJournal(): Journal {
  // A ring buffer: record `n` is at `n % capacity`.
  const records: RequestRecord[] = []
  let lastNumber = 0
  let clearedNumber = 0
  const openEntry: Journal['open'] = (request) => {
    const startedMs = performance.now()
    const draft: Draft = { n: 0, ...request, status: 0, credentialHeaders: [], stream: false, durationMs: 0 }
    const finishEntry = (status: number) => {
      if (draft.n !== 0) return
      lastNumber += 1
      draft.n = lastNumber
      draft.status = status
      draft.durationMs = Math.round(performance.now() - startedMs)
      redactDraft(draft)
      records[lastNumber % maxEntries] = draft
    }
    const addFields: RequestTrace['note'] = (fields) => {
      if (draft.n === 0) Object.assign(draft, fields)
    }
    return { note: addFields, finish: finishEntry }
  }
  const listEntriesAfter = (n: number) => {
    const fromNumber = Math.max(n, clearedNumber, lastNumber - maxEntries)
    const numbers = Array.from({ length: Math.max(0, lastNumber - fromNumber) }, (_, index) => fromNumber + 1 + index)
    return numbers.flatMap((number) => records[number % maxEntries] ?? [])
  }
  const clearEntries = () => {
    clearedNumber = lastNumber
    records.length = 0
  }
  return { open: openEntry, after: listEntriesAfter, clear: clearEntries }
}
