import type { PlanView, ToolView } from '@shared/contract'

const appliedAt = '2026-11-21T08:00:00.000Z'

export type AppliedSetup = NonNullable<ToolView['applied']>

/** Creates a tool's configuration for tests, with the given fields replaced. */
export const appliedSetup = (overrides: Partial<AppliedSetup> = {}): AppliedSetup => ({
  planId: 'p1',
  planName: 'team',
  keyId: 'k1',
  keyName: 'default-key',
  modelCode: 'large',
  slots: {},
  delivery: 'helper',
  route: 'gateway',
  requestAddress: 'https://gateway.example.com/v1/messages',
  at: appliedAt,
  ...overrides,
})

/** Creates an unconfigured tool for tests, with the given fields replaced. */
export const writtenTool = (overrides: Partial<ToolView> = {}): ToolView => ({
  id: 'claude-code',
  name: 'Claude Code',
  kind: 'written',
  standard: 'messages',
  installed: true,
  deliveries: ['helper', 'file', 'plain'],
  routes: ['gateway', 'relay'],
  slots: [{ id: 'small', isSmall: true }],
  sites: ['user', 'project'],
  needsRestart: false,
  status: 'absent',
  drift: [],
  file: '/home/lan/.claude/settings.json',
  files: [{ path: '/home/lan/.claude/settings.json', exists: false }],
  setups: [],
  ...overrides,
})

/** A configured tool without drift. */
export const setUpTool = (overrides: Partial<ToolView> = {}, applied: Partial<AppliedSetup> = {}): ToolView =>
  writtenTool({ status: 'configured', applied: appliedSetup(applied), ...overrides })

/** A local plan with one key and overrides. */
export const localPlan = (overrides: Partial<PlanView> = {}): PlanView => ({
  id: 'p1',
  name: 'team',
  source: 'handed-over',
  gatewayUrl: 'https://gateway.example.com',
  models: ['large', 'small'],
  contextTokens: 200_000,
  createdAt: appliedAt,
  keys: [{ id: 'k1', name: 'default-key', masked: 'sk-...a1b2', addedAt: appliedAt, kept: 'keychain' }],
  defaultKeyId: overrides.keys ? overrides.keys[0]?.id : 'k1',
  usedBy: [],
  ...overrides,
})
