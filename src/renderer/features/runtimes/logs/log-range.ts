import { logFrom, logLimit } from '../../resources/rules'

/** What is asked of a log unless the address says another part. */
const usualRange = { from: '0', limit: '200' } as const

/** Which part of a log: as it is typed. */
export interface TypedRange {
  readonly from: string
  readonly limit: string
}

/** The range that the address tells; what breaks a rule counts as absent. */
export function readRange(query: URLSearchParams): TypedRange {
  const from = query.get('from') ?? ''
  const limit = query.get('limit') ?? ''
  return {
    from: logFrom.accepts(from) ? from : usualRange.from,
    limit: logLimit.accepts(limit) ? limit : usualRange.limit,
  }
}

/** Which of both breaks its rule. */
export const brokenRules = ({ from, limit }: TypedRange) => ({
  from: !logFrom.accepts(from.trim()),
  limit: !logLimit.accepts(limit.trim()),
})
