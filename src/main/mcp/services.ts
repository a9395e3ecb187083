import type {
  ConnectionView,
  DoctorReport,
  McpCallView,
  McpPermission,
  MethodInput,
  PlanView,
  PromptSummary,
  PromptView,
  ResourceAnswer,
  UsageSeries,
  UsageShare,
} from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import type { z } from 'zod'

/** Any JSON value. */
export type Json = z.core.util.JSONType

/** One prompt to a model of a plan. */
interface ModelQuestion {
  readonly planId: string
  readonly modelCode: string
  readonly prompt: string
  readonly system: string
  readonly maxTokens: number
}

/** What a model answered. */
interface ModelAnswer {
  readonly text: string
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly durationMs?: number | undefined
  readonly finishReason?: string | undefined
}

type PlatformCall = Omit<MethodInput<'resources.call'>, 'callId'>

/** What the server asks the other domains; all of them answer without secrets. */
export interface McpServices {
  readonly plans: () => readonly PlanView[]
  readonly quotas: () => Promise<readonly PlanQuota[]>
  readonly usage: {
    shares(wish: MethodInput<'usage.shares'>): Promise<readonly UsageShare[]>
    series(wish: MethodInput<'usage.series'>): Promise<UsageSeries>
  }
  /** Hears pieces of the answer as they come; aborting stops the request. What it used is counted. */
  readonly ask: (
    question: ModelQuestion,
    watch: { readonly signal: AbortSignal; readonly onText: (piece: string) => void },
  ) => Promise<ModelAnswer>
  /** The active connection, whose memories are meant. */
  readonly connection: () => Pick<ConnectionView, 'id' | 'name'> | undefined
  readonly platform: {
    call(wish: PlatformCall, signal: AbortSignal): Promise<ResourceAnswer>
    /** Every row of a list in pages. */
    every(wish: Omit<PlatformCall, 'body'>, signal: AbortSignal): Promise<{ readonly rows: readonly Json[] }>
    /** The rows of a list without pages. */
    rows(wish: PlatformCall, signal: AbortSignal): Promise<readonly Json[]>
  }
  readonly diagnose: (toolId: string, signal: AbortSignal) => Promise<DoctorReport>
  readonly prompts: {
    list(): Promise<readonly PromptSummary[]>
    get(id: string): Promise<PromptView>
  }
  /** What a coding tool may do beside reading, as the settings say now. */
  readonly permissions: (toolId: string | undefined) => readonly McpPermission[]
  /** Hears of each call at its end; what it was given is stored only if that was switched on. */
  readonly note: (call: McpCallView, given: unknown) => void
}
