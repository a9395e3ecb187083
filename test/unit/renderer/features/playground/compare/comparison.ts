import type { ComparisonCell, ComparisonSetup, ComparisonView, PlaygroundRun } from '@shared/contract'

/** Creates a request target: a model of a plan. */
export const createPlanTarget = (planId: string, modelCode = 'aurora-large') =>
  ({ kind: 'plan', planId, standard: 'chat-completions', modelCode }) as const

export const columnA = { id: 'a', name: '', system: '', parameters: {}, target: createPlanTarget('p1') }
export const columnB = { id: 'b', name: 'Short', system: '', parameters: {}, target: createPlanTarget('p2') }

/** Setup of a comparison with two columns and three cases of one variable. */
export const setup = (overrides: Partial<ComparisonSetup> = {}): ComparisonSetup => ({
  title: 'Greetings',
  prompt: 'Greet {{name}}',
  columns: [columnA, columnB],
  variables: ['name'],
  cases: [
    { id: '1', values: ['An'] },
    { id: '2', values: ['Bình'] },
    { id: '3', values: ['Chi'] },
  ],
  ...overrides,
})

/** A comparison in the format that main sends to the window. */
export const view = (overrides: Partial<ComparisonView> = {}): ComparisonView => ({
  id: 'c1',
  isPinned: false,
  updatedAt: '2026-01-01T00:00:00.000Z',
  setup: setup(),
  cells: [],
  ...overrides,
})

/** Creates a successful run of a chat. */
export const buildRun = (overrides: Partial<PlaygroundRun> = {}): PlaygroundRun => ({
  id: 'run-1',
  kind: 'chat',
  target: createPlanTarget('p1'),
  state: 'done',
  startedAt: '2026-01-01T00:00:00.000Z',
  requestAddress: 'https://gateway.example.com/v1/chat/completions',
  isStream: true,
  ...overrides,
})

/** Creates a cell with a successful run. */
export const cell = (
  position: Pick<ComparisonCell, 'columnId' | 'caseId'>,
  run: Partial<PlaygroundRun> = {},
  isStale = false,
): ComparisonCell => ({
  ...position,
  isStale,
  run: buildRun({ id: `run-${position.columnId}-${position.caseId ?? ''}`, ...run }),
})
