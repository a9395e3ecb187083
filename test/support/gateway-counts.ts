import { z } from 'zod'

const amount = z.number().default(0)

const Requests = z.object({
  requests: z.array(
    z.object({
      area: z.string(),
      path: z.string(),
      modelCode: z.string().optional(),
      status: z.number(),
      inputTokens: amount,
      outputTokens: amount,
      cacheTokens: amount,
    }),
  ),
})

/** Usage by group, as `usage --json` prints it. */
export const UsageShares = z.array(
  z.object({
    id: z.string(),
    requests: z.number(),
    errors: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheTokens: z.number(),
  }),
)

/** The sandbox's record of one model request. */
export type GatewayRequest = z.infer<typeof Requests>['requests'][number]

/** Filters model requests from the control API's list. */
export const modelRequests = (answer: unknown): readonly GatewayRequest[] =>
  Requests.parse(answer).requests.filter(({ area, modelCode }) => area === 'gateway' && modelCode !== undefined)

/** Sums the tokens and requests by the rules of the usage ledger. */
export function toCounts(requests: readonly GatewayRequest[]) {
  const sum = (field: 'inputTokens' | 'outputTokens' | 'cacheTokens') =>
    requests.reduce((total, request) => total + request[field], 0)
  return {
    requests: requests.length,
    errors: requests.filter(({ status }) => status >= 400).length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheTokens: sum('cacheTokens'),
  }
}
