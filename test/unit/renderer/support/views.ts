import type { AddressView, AppView, CheckView, PlanView, SettingsView, ToolView } from '@shared/contract'

const appliedAt = '2026-11-21T08:00:00.000Z'

/** App on Linux with a keychain. */
export const appView: AppView = { version: '1', platform: 'linux', dataDir: '/d', vault: { kind: 'keychain' } }

export const settingsView: SettingsView = {
  theme: 'light',
  language: 'en',
  locale: 'en',
  railCollapsed: false,
  zoomPercent: 100,
  welcomed: true,
}

/** A gateway address without corrections. */
export const buildAddress = (url: string): AddressView => ({
  url,
  corrections: [],
  bases: { 'chat-completions': `${url}/v1`, messages: url },
  requests: { 'chat-completions': `${url}/v1/chat/completions`, messages: `${url}/v1/messages` },
})

/** Result of a successful test request to the gateway. */
export const passedCheck: CheckView = {
  ok: true,
  at: appliedAt,
  standard: 'chat-completions',
  requestAddress: 'https://gateway.example.com/v1/chat/completions',
  durationMs: 800,
}

/** Result of a test request that the gateway rejected. */
export const failedCheck: CheckView & { readonly ok: false } = {
  ok: false,
  at: appliedAt,
  standard: 'chat-completions',
  requestAddress: 'https://gateway.example.com/v1/chat/completions',
  durationMs: 200,
  status: 401,
  failure: { code: 'gateway.keyRejected', message: 'The gateway refused the key.' },
}

export const plan = (overrides: Partial<PlanView> = {}): PlanView => ({
  id: 'p1',
  name: 'team',
  source: 'handed-over',
  gatewayUrl: 'https://gateway.example.com',
  models: ['large'],
  contextTokens: 200_000,
  createdAt: appliedAt,
  keys: [{ id: 'k1', name: 'default-key', masked: 'sk-...a1b2', addedAt: appliedAt, kept: 'keychain' }],
  defaultKeyId: overrides.keys ? overrides.keys[0]?.id : 'k1',
  usedBy: [],
  ...overrides,
})

export const tool = (overrides: Partial<ToolView> = {}): ToolView => ({
  id: 'claude-code',
  name: 'Claude Code',
  kind: 'written',
  standard: 'messages',
  installed: true,
  triedVersion: '2.1.330',
  deliveries: ['helper'],
  routes: ['gateway', 'relay'],
  slots: [{ id: 'small', isSmall: true }],
  sites: ['user'],
  needsRestart: false,
  status: 'configured',
  drift: [],
  file: '/home/lan/.claude/settings.json',
  files: [{ path: '/home/lan/.claude/settings.json', exists: true }],
  setups: [],
  ...overrides,
})

type AppliedSetup = NonNullable<ToolView['applied']>

export const buildAppliedSetup = (overrides: Partial<AppliedSetup> = {}): AppliedSetup => ({
  planId: 'p1',
  planName: 'team',
  keyId: 'k1',
  keyName: 'default-key',
  modelCode: 'large',
  slots: { small: 'large' },
  delivery: 'helper',
  route: 'gateway',
  requestAddress: 'https://gateway.example.com/v1/messages',
  at: appliedAt,
  ...overrides,
})
