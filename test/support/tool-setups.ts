import type { PlanView, ToolView } from '@shared/contract'

const at = '2026-11-21T08:00:00.000Z'

export type AppliedSetup = NonNullable<ToolView['applied']>

/** How a tool is set up, with what the test is about put over it. */
export const appliedSetup = (over: Partial<AppliedSetup> = {}): AppliedSetup => ({
  planId: 'p1',
  planName: 'team',
  keyId: 'k1',
  keyName: 'default-key',
  modelCode: 'large',
  slots: {},
  delivery: 'helper',
  route: 'gateway',
  requestAddress: 'https://gateway.example.com/v1/messages',
  at,
  ...over,
})

/** A tool that this app writes and that is not set up, with what the test is about put over it. */
export const writtenTool = (over: Partial<ToolView> = {}): ToolView => ({
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
  ...over,
})

/** A tool that is set up, and still as it was written. */
export const setUpTool = (over: Partial<ToolView> = {}, applied: Partial<AppliedSetup> = {}): ToolView =>
  writtenTool({ status: 'configured', applied: appliedSetup(applied), ...over })

/** A plan of this machine with one key, with what the test is about put over it. */
export const localPlan = (over: Partial<PlanView> = {}): PlanView => ({
  id: 'p1',
  name: 'team',
  source: 'handed-over',
  gatewayUrl: 'https://gateway.example.com',
  models: ['large', 'small'],
  contextTokens: 200_000,
  createdAt: at,
  keys: [{ id: 'k1', name: 'default-key', masked: 'sk-...a1b2', addedAt: at, kept: 'keychain' }],
  defaultKeyId: over.keys ? over.keys[0]?.id : 'k1',
  usedBy: [],
  ...over,
})
