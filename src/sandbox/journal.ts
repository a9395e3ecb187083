import type { Exchange, Fault, ResponseWriter } from './http'
import { type ApiStandardName, type CredentialHeader, readCredential } from './standards'

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

type Draft = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] }

/** Redacts anything that looks like a key. Clients put keys in odd places, such as a path or a model name. */
function redactDraft(draft: Draft): void {
  const keyPattern = /(?<![\w-])(?:sk|pk|cs|rb|dk|key|iam-sandbox)-[\w.-]{6,}/gi
  for (const field of ['path', 'modelCode', 'userAgent'] as const) {
    const text = draft[field]
    if (text !== undefined) draft[field] = text.replace(keyPattern, '[key]').slice(0, maxTextLength)
  }
}

export type Journal = ReturnType<typeof createJournal>
export type RequestTrace = ReturnType<Journal['open']>

export function createJournal() {
  let records: readonly RequestRecord[] = []
  let lastNumber = 0
  return {
    open(
      { request: { headers }, response, method, path }: Exchange,
      entry: Pick<RequestRecord, 'area' | 'at' | 'standard'> & { readonly operation: string | undefined },
    ) {
      const startedMs = performance.now()
      const { operation, ...fields } = entry
      const credentialHeaders = readCredential(headers).headers
      const draft: Draft = { n: 0, method, path, ...fields, status: 0, credentialHeaders, stream: false, durationMs: 0 }
      if (headers['user-agent']) draft.userAgent = headers['user-agent']
      if (operation) draft.operation = operation
      return {
        note(details: Partial<Omit<RequestRecord, 'n' | 'durationMs'>>): void {
          if (draft.n === 0) Object.assign(draft, details)
        },
        /** Records the request once. 499 for a client that disconnected before the response. */
        finish(outlet: ResponseWriter, fault: Fault | undefined): void {
          if (draft.n !== 0) return
          if (outlet.isCut()) draft.error = 'cut_by_fault'
          else if (fault?.isDropped) draft.error = 'dropped_by_fault'
          else if (response.destroyed) draft.error = 'client_closed'
          lastNumber += 1
          draft.n = lastNumber
          draft.status = response.headersSent ? response.statusCode : 499
          draft.durationMs = Math.round(performance.now() - startedMs)
          redactDraft(draft)
          records = [...records.slice(1 - maxEntries), draft]
        },
      }
    },
    after: (n: number) => records.filter((record) => record.n > n),
    clear() {
      records = []
    },
  }
}
