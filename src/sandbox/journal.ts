import type { CredentialHeader } from './gateway/credential'
import type { StandardName } from './gateway/standard'

const capacity = 500
const longestText = 200

/** One request as the control surface tells it: never a key, never a text of a conversation. */
export interface RequestRecord {
  /** Rises by one with each answered request of this process. */
  readonly n: number
  readonly area: 'gateway' | 'platform'
  /** The operation's id, if the path is one. */
  readonly operation?: string
  /** ISO 8601 UTC in the sandbox's clock. */
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly standard: StandardName | null
  readonly modelCode?: string
  readonly planName?: string
  readonly keyName?: string
  readonly credentialHeaders: readonly CredentialHeader[]
  readonly userAgent?: string
  readonly stream: boolean
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly durationMs: number
  /** The refusal's code, `client_closed` or `cut_by_fault`. */
  readonly error?: string
}

/** What becomes known of a request while it is served. */
export interface Trace {
  readonly note: (known: Partial<Omit<RequestRecord, 'n' | 'durationMs'>>) => void
  /** Puts the request on record, once; later calls do nothing. */
  readonly finish: (status: number) => void
}

/** The last 500 requests. */
export interface Journal {
  readonly open: (begun: Pick<RequestRecord, 'area' | 'at' | 'method' | 'path' | 'standard'>) => Trace
  readonly after: (n: number) => readonly RequestRecord[]
  readonly clear: () => void
}

/** Keys end up in odd places (a path, a model name): nothing that looks like one is kept. */
function scrub(text: string): string {
  return text.replace(/\b(sk|pk|key)-[\w-]{6,}/gi, '[key]').slice(0, longestText)
}

/** An empty journal. */
export function createJournal(): Journal {
  let records: RequestRecord[] = []
  let last = 0
  const open: Journal['open'] = (begun) => {
    const startedMs = performance.now()
    let known: Omit<RequestRecord, 'n' | 'durationMs'> = { ...begun, status: 0, credentialHeaders: [], stream: false }
    let isOpen = true
    const finish = (status: number) => {
      if (!isOpen) return
      isOpen = false
      last += 1
      const texts = {
        path: scrub(known.path),
        ...(known.modelCode === undefined ? {} : { modelCode: scrub(known.modelCode) }),
        ...(known.userAgent === undefined ? {} : { userAgent: scrub(known.userAgent) }),
      }
      const durationMs = Math.round(performance.now() - startedMs)
      records = [...records.slice(1 - capacity), { ...known, ...texts, n: last, status, durationMs }]
    }
    const note: Trace['note'] = (more) => {
      known = { ...known, ...more }
    }
    return { note, finish }
  }
  const clear = () => {
    records = []
  }
  return { open, after: (n) => records.filter((record) => record.n > n), clear }
}
