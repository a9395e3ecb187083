import type { RelayTool, RelayView } from '@shared/contract'

export const defaultUpstream = { planId: 'p1', keyId: 'k1', planName: 'team', keyName: 'default-key' }

/** A tool that uses the relay. */
export const relayTool = (overrides: Partial<RelayTool> = {}): RelayTool => ({
  toolId: 'claude-code',
  toolName: 'Claude Code',
  address: 'http://127.0.0.1:4870/t/claude-code',
  isPointedHere: true,
  upstreams: [defaultUpstream],
  open: 0,
  requests: 12,
  lastAt: '2026-11-21T08:00:00.000Z',
  ...overrides,
})

/** A running relay with one tool. */
export const relayView = (overrides: Partial<RelayView> = {}): RelayView => ({
  state: 'on',
  port: 4870,
  wanted: true,
  keepInBackground: true,
  allowsUncounted: false,
  tools: [relayTool()],
  ...overrides,
})
