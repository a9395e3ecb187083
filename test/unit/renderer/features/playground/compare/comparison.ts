import type { ComparisonCell, ComparisonSetup, ComparisonView, PlaygroundRun } from '@shared/contract'

/** A target with a plan. */
export const createPlanTarget = (planId: string, modelCode = 'aurora-large') =>
  ({ kind: 'plan', planId, standard: 'chat-completions', modelCode }) as const

/** Two columns and three cases of one variable. */
export const setup = (over: Partial<ComparisonSetup> = {}): ComparisonSetup => ({
  title: 'Greetings',
  prompt: 'Greet {{name}}',
  columns: [
    { id: 'a', name: '', system: '', parameters: {}, target: createPlanTarget('p1') },
    { id: 'b', name: 'Short', system: '', parameters: {}, target: createPlanTarget('p2') },
  ],
  variables: ['name'],
  cases: [
    { id: '1', values: ['An'] },
    { id: '2', values: ['Bình'] },
    { id: '3', values: ['Chi'] },
  ],
  ...over,
})

/** A comparison as sent by main. */
export const view = (over: Partial<ComparisonView> = {}): ComparisonView => ({
  id: 'c1',
  isPinned: false,
  updatedAt: '2026-01-01T00:00:00.000Z',
  setup: setup(),
  cells: [],
  ...over,
})

/** A cell with a successful run. */
export const cell = (
  place: Pick<ComparisonCell, 'columnId' | 'caseId'>,
  run: Partial<PlaygroundRun> = {},
  isStale = false,
): ComparisonCell => ({
  ...place,
  isStale,
  run: {
    id: `run-${place.columnId}-${place.caseId ?? ''}`,
    kind: 'chat',
    target: createPlanTarget('p1'),
    state: 'done',
    startedAt: '2026-01-01T00:00:00.000Z',
    requestAddress: 'https://gateway.example.com/v1/chat/completions',
    isStream: true,
    ...run,
  },
})
