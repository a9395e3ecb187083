import type {
  AuditEntry,
  HandoutResult,
  KeyFileContent,
  PlanView,
  RegisterEntry,
  RotationPlan,
  RotationView,
} from '@shared/contract'
import type { Failure } from '@shared/failure'
import { plan } from './views'

const createdAt = '2026-11-21T08:00:00.000Z'

type Key = PlanView['keys'][number]

/** A saved key of an account. */
export const buildLocalKey = (overrides: Partial<Key> = {}): Key => ({
  id: 'k1',
  name: 'lan-laptop',
  masked: 'sk-...a1b2',
  addedAt: createdAt,
  kept: 'keychain',
  origin: { keyId: 'ak1' },
  ...overrides,
})

/** A plan of an account with saved keys. */
export const buildLocalAccountPlan = (overrides: Partial<PlanView> = {}): PlanView =>
  plan({
    source: 'console',
    name: 'platform-team',
    origin: { connectionId: 'c1', planId: 'a1' },
    keys: [buildLocalKey(), buildLocalKey({ id: 'k2', name: 'ci', origin: { keyId: 'ak2' } })],
    ...overrides,
  })

const ids = ['add', 'keep', 'check', 'repoint', 'verify', 'disable', 'confirm', 'grace', 'delete'] as const
type Steps = RotationView['steps']

/** Creates the steps of a rotation: the first `doneCount` are done, and the next one has the given state. */
export const buildSteps = (doneCount: number, state: Steps[number]['state'] = 'pending', failure?: Failure): Steps =>
  ids.map((id, index) => {
    if (index < doneCount) return { id, state: 'done', at: createdAt }
    return index === doneCount ? { id, state, ...(failure ? { failure } : {}) } : { id, state: 'pending' }
  })

export const rotation = (overrides: Partial<RotationView> = {}): RotationView => ({
  id: 'r1',
  planId: 'p1',
  planName: 'platform-team',
  oldKeyId: 'k1',
  oldKeyName: 'lan-laptop',
  newKeyId: 'n1',
  newKeyName: 'lan-laptop-2',
  state: 'running',
  steps: buildSteps(4, 'running'),
  tools: [{ toolId: 'claude-code', toolName: 'Claude Code', site: { kind: 'user' }, state: 'repointed' }],
  profiles: [],
  startedAt: createdAt,
  graceMs: 86_400_000,
  canResume: false,
  canUndo: true,
  ...overrides,
})

export const rotationPlan = (overrides: Partial<RotationPlan> = {}): RotationPlan => ({
  planId: 'p1',
  planName: 'platform-team',
  keyId: 'k1',
  keyName: 'lan-laptop',
  newKeyName: 'lan-laptop-2',
  slots: { used: 2, max: 5 },
  holders: [],
  freeable: [],
  tools: [{ toolId: 'claude-code', toolName: 'Claude Code', site: { kind: 'user' } }],
  unknownTools: [],
  profiles: ['work'],
  ...overrides,
})

export const entry = (overrides: Partial<RegisterEntry> = {}): RegisterEntry => ({
  planId: 'p1',
  planName: 'platform-team',
  keyId: 'k1',
  origin: { connectionId: 'c1', planId: 'a1', keyId: 'ak1' },
  keyName: 'lan-laptop',
  masked: 'sk-...a1b2',
  status: 'ACTIVE',
  isKeptHere: true,
  holder: { kind: 'person', name: 'Lan' },
  createdAt: createdAt,
  tools: [],
  alsoServes: [],
  ...overrides,
})

export const auditEntry = (overrides: Partial<AuditEntry> = {}): AuditEntry => ({
  number: 1,
  at: createdAt,
  what: 'keyAdded',
  planName: 'platform-team',
  keyName: 'lan-laptop',
  by: 'window',
  ...overrides,
})

export const buildHandoutResult = (overrides: Partial<HandoutResult> = {}): HandoutResult => ({
  id: 'h1',
  holder: { kind: 'person', name: 'Minh' },
  keyName: 'minh',
  path: '/home/lan/minh.age',
  state: 'written',
  hasPassphrase: true,
  ...overrides,
})

export const buildKeyFileContent = (overrides: Partial<KeyFileContent> = {}): KeyFileContent => ({
  version: 1,
  from: 'Lan',
  holder: { kind: 'person', name: 'Minh' },
  planName: 'platform-team',
  gatewayUrl: 'https://gateway.example.com',
  models: ['large'],
  contextTokens: 200_000,
  keyName: 'minh',
  maskedKey: 'sk-...k1t0',
  toolIds: ['claude-code'],
  acknowledgement: 'K7QD-9M2X-4RTA',
  createdAt: createdAt,
  ...overrides,
})
