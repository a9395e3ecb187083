import type { McpCallView, McpPermission, PlanView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { createMcpServer, type McpServerOptions } from '../../../../src/main/mcp/server'
import type { McpServices } from '../../../../src/main/mcp/services'
import { findPlatformOperation } from '../../../../src/main/platform/services'

const plan: PlanView = {
  id: 'p1',
  name: 'team-plan',
  source: 'handed-over',
  gatewayUrl: 'http://127.0.0.1:4860',
  models: ['aurora-large', 'aurora-small'],
  contextTokens: 128_000,
  expiresAt: '2999-01-01T00:00:00.000Z',
  createdAt: '2026-11-01T00:00:00.000Z',
  keys: [{ id: 'k1', name: 'ci', masked: 'sk-...a1b2', addedAt: '2026-11-01T00:00:00.000Z', kept: 'keychain' }],
  usedBy: [],
}

const at = '2026-11-20T00:00:00.000Z'

/** Quotas of the mock plan after using this many tokens. */
export function buildQuotas(usedTokens: number): PlanQuota[] {
  const times = { at: '2026-11-26T14:00:00.000Z', earliest: '2026-11-25T00:00:00.000Z' }
  const forecast = { kind: 'runsOut', used: 1.2, ...times, daysBeforeRenewal: 4 } as const
  const gauge = (quota: number, used: number) => ({ quota, used, evenPace: 0.5, forecast })
  const gauges = { tokens: gauge(1000, usedTokens), requests: gauge(100, 1) }
  const models = [{ modelCode: 'aurora-large', displayName: 'Aurora Large', ...gauges }]
  return [{ planId: 'p1', name: 'team-plan', source: 'machine', isExpired: false, models, at }]
}

const counts = { requests: 2, errors: 0, inputTokens: 30, outputTokens: 12, cacheTokens: 0 }
const promptText = { text: 'Review {{file}}.', system: 'Be brief.', variables: ['file'] }
const prompt = {
  id: 'pr1',
  name: 'Review',
  tags: ['code'],
  updatedAt: '2026-11-01T00:00:00.000Z',
  versions: [{ ...promptText, number: 1, createdAt: '2026-11-01T00:00:00.000Z', parameters: {} }],
}

export const buildModelAnswer = (text: string) => ({
  run: {
    id: 'r1',
    kind: 'chat',
    target: { kind: 'plan', planId: 'p1', standard: 'chat-completions', modelCode: 'aurora-large' },
    state: 'done',
    startedAt: at,
    requestAddress: 'http://127.0.0.1:4860/v1/chat/completions',
    isStream: true,
    inputTokens: 3,
    outputTokens: 5,
  } as const,
  answer: { text },
})

const rejectedKey = {
  code: 'gateway.keyRejected',
  message: 'The key sk-abcdefghijklmnopqrst is refused.',
} as const

/** Creates mock services that record all calls. */
export function fakeServices(overrides: Partial<McpServices> = {}, permissions: readonly McpPermission[] = []) {
  const calls: McpCallView[] = []
  const sent: unknown[] = []
  const services: McpServices = {
    plans: () => [plan],
    learnModels: async () => undefined,
    quotas: async () => buildQuotas(250),
    usage: {
      shares: async () => [{ id: 'aurora-large', ...counts }],
      series: async () => ({ step: 'day', buckets: [], totals: counts, at }),
    },
    ask: async ({ prompt: question }, { onText }) => {
      for (const chunk of ['You said: ', question]) onText(chunk)
      return buildModelAnswer(`You said: ${question}`)
    },
    connection: () => ({ id: 'c1', name: 'office' }),
    platform: {
      call: async (wish) => {
        sent.push(wish)
        return { status: 201, data: { id: 'e1' }, secrets: [] }
      },
      every: async ({ operation }) => {
        if (findPlatformOperation(operation).paging === undefined) throw new Error('This list has no pages.')
        return { rows: [{ id: 'm1', name: 'notes' }] }
      },
      rows: async ({ query }) => ({
        rows: Array.from({ length: Math.min(45, Number(query?.limit ?? 45)) }, (_, index) => ({ id: `r${index}` })),
      }),
    },
    diagnose: async (toolId) => ({
      toolId,
      toolName: 'Claude Code',
      site: { kind: 'user' },
      at,
      outcome: 'failed',
      findings: [
        { check: 'installed', outcome: 'ok' },
        { check: 'keyAlive', outcome: 'failed', fix: 'chooseKey', failure: rejectedKey },
      ],
    }),
    prompts: async () => [{ ...prompt, versions: 1, preview: 'Review' }],
    prompt: async () => prompt,
    toolIds: async () => ['claude-code', 'codex'],
    permissions: (toolId) => (toolId === 'claude-code' ? permissions : []),
    note: (call) => void calls.push(call),
    ...overrides,
  }
  return { services, calls, sent }
}

/** Creates an MCP server with mock services. The calling tool is Claude Code by default. */
export function createServer(services: McpServices, extraOptions: Partial<Pick<McpServerOptions, 'toolId'>> = {}) {
  const log = { info: () => undefined, error: () => undefined }
  return createMcpServer({ version: '1.2.3', services, toolId: 'claude-code', log, ...extraOptions })
}
