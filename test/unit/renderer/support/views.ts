import type { AddressView, AppView, CheckView, PlanView, SettingsView, ToolView } from '@shared/contract'
import { type AppliedSetup, appliedSetup, localPlan, writtenTool } from '../../../support/tool-setups'

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

export const plan = (overrides: Partial<PlanView> = {}): PlanView => localPlan({ models: ['large'], ...overrides })

/** A tested tool whose only key delivery is the helper. Its status is configured, without a setup. */
export const tool = (overrides: Partial<ToolView> = {}): ToolView =>
  writtenTool({
    triedVersion: '2.1.330',
    deliveries: ['helper'],
    sites: ['user'],
    status: 'configured',
    files: [{ path: '/home/lan/.claude/settings.json', exists: true }],
    ...overrides,
  })

export const buildAppliedSetup = (overrides: Partial<AppliedSetup> = {}): AppliedSetup =>
  appliedSetup({ slots: { small: 'large' }, ...overrides })
