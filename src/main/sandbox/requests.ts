import { SandboxArea, type SandboxRequestView, Standard } from '@shared/contract'
import { z } from 'zod'

const longestClient = 80

const SandboxRequest = z.object({
  n: z.number(),
  area: SandboxArea,
  operation: z.string().optional(),
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  standard: Standard.optional().catch(undefined),
  modelCode: z.string().optional(),
  planName: z.string().optional(),
  keyName: z.string().optional(),
  userAgent: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  durationMs: z.number(),
})

const SandboxRequests = z.object({ requests: z.array(SandboxRequest) })

/** Which requests are asked for: those of one listener (the gateway unless another is named), after a number. */
export interface RequestFilter {
  readonly after?: number | undefined
  readonly area?: SandboxArea | undefined
}

/** The path that asks for them. */
export function requestsPath({ after = 0, area = 'gateway' }: RequestFilter): string {
  return `/requests?area=${area}&after=${after}`
}

/** The requests in an answer of the control surface. */
export function readRequests(answer: unknown): SandboxRequestView[] {
  return SandboxRequests.parse(answer).requests.map(({ userAgent, ...request }) => ({
    ...request,
    client: userAgent?.slice(0, longestClient),
  }))
}
