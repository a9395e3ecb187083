import type { Fault } from './faults'
import { type ApiStandardName, type CredentialHeader, readCredential } from './gateway/standard'
import type { Exchange } from './http/listener'
import type { ResponseWriter } from './http/response-writer'

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
  /** Records the request once. 499 for a client that disconnected before the response. */
  readonly finish: (outlet: ResponseWriter, fault: Fault | undefined) => void
}

export interface Journal {
  readonly open: (
    exchange: Exchange,
    fields: Pick<RequestRecord, 'area' | 'at' | 'standard'> & { readonly operation: string | undefined },
  ) => RequestTrace
  readonly after: (n: number) => readonly RequestRecord[]
  readonly clear: () => void
}

type Draft = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] }

/** Redacts anything that looks like a key. Clients put keys in odd places, such as a path or a model name. */
function redactDraft(draft: Draft): void {
  const keyPattern = /(?<![\w-])(?:sk|pk|cs|rb|dk|key|iam-sandbox)-[\w.-]{6,}/gi
  for (const field of ['path', 'modelCode', 'userAgent'] as const) {
    const text = draft[field]
    if (text !== undefined) draft[field] = text.replace(keyPattern, '[key]').slice(0, maxTextLength)
  }
}

function findInterruption(outlet: ResponseWriter, fault: Fault | undefined, isClosed: boolean): string | undefined {
  if (outlet.isCut()) return 'cut_by_fault'
  if (fault?.isDropped) return 'dropped_by_fault'
  return isClosed ? 'client_closed' : undefined
}

export function createJournal(): Journal {
  let records: readonly RequestRecord[] = []
  let lastNumber = 0
  const openEntry: Journal['open'] = ({ request: { headers }, response, method, path }, { operation, ...fields }) => {
    const startedMs = performance.now()
    const draft: Draft = {
      n: 0,
      method,
      path,
      ...fields,
      status: 0,
      credentialHeaders: readCredential(headers).headers,
      stream: false,
      durationMs: 0,
    }
    if (headers['user-agent']) draft.userAgent = headers['user-agent']
    if (operation) draft.operation = operation
    const addFields: RequestTrace['note'] = (fields) => {
      if (draft.n === 0) Object.assign(draft, fields)
    }
    const finishEntry: RequestTrace['finish'] = (outlet, fault) => {
      if (draft.n !== 0) return
      const error = findInterruption(outlet, fault, response.destroyed)
      if (error) draft.error = error
      lastNumber += 1
      draft.n = lastNumber
      draft.status = response.headersSent ? response.statusCode : 499
      draft.durationMs = Math.round(performance.now() - startedMs)
      redactDraft(draft)
      records = [...records.slice(1 - maxEntries), draft]
    }
    return { note: addFields, finish: finishEntry }
  }
  const clearEntries = () => {
    records = []
  }
  return { open: openEntry, after: (n) => records.filter((record) => record.n > n), clear: clearEntries }
}
