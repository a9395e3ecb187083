import type { LedgerEntry } from '../entry'
import type { Attribution } from './attribution'
import type { ToldAnswer, ToolLog } from './tool-log'

const dayMs = 86_400_000

/** What an answer is judged by; the span in ms. */
export interface Judgement {
  readonly log: ToolLog
  readonly owner: Attribution
  readonly span: { readonly from: number; readonly now: number }
}

/** The ledger's entry of an answer; undefined when it is too old, from the future, or a sum that the relay counted one by one. */
export function entryOf(answer: ToldAnswer, { log, owner, span }: Judgement): LedgerEntry | undefined {
  const { id, at = span.now, modelCode, ...figures } = answer
  if (at < span.from || at > span.now + dayMs) return undefined
  const { toolId } = log
  const found = owner({ toolId, modelCode, at })
  if (found?.isRelayed && log.kind === 'files' && log.isTotals) return undefined
  // The relay may have taken another plan or key since; its own row says which.
  const { planId, keyId } = found && !found.isRelayed ? found : {}
  return { ...figures, id: `${toolId}:${id}`, at, source: 'toolLog', toolId, modelCode, planId, keyId }
}
