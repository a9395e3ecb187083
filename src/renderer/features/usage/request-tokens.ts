import type { UsageRequest } from '@shared/contract'

/** The sum of what was told; nothing when nothing was. */
const sumOf = (parts: readonly (number | undefined)[]): number | undefined => {
  const told = parts.filter((part) => part !== undefined)
  return told.length === 0 ? undefined : told.reduce((total, part) => total + part, 0)
}

/** Whether tokens were counted on this machine, because the answer broke off before the gateway told them. */
export const isCountedHere = ({ error, source, outputTokens }: UsageRequest): boolean =>
  source === 'relay' && (error === 'aborted' || error === 'cut') && outputTokens !== undefined

/** Cache tokens of a request, read and written. */
export const cacheTokens = ({ cacheReadTokens, cacheWriteTokens }: UsageRequest): number | undefined =>
  sumOf([cacheReadTokens, cacheWriteTokens])

/** Tokens consumed by a request = input + output + cache; nothing when nobody told any of them, which is not zero. */
export const requestTokens = (request: UsageRequest): number | undefined =>
  sumOf([request.inputTokens, request.outputTokens, cacheTokens(request)])
