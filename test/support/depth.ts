/** Whether the long form of the tests runs: `npm run test:deep`. */
export const isDeep = process.env.TEST_DEPTH === 'deep'

/** How often a property or a fault is tried: `quick` times by `npm test`, `deep` times by `npm run test:deep`. */
export const rounds = (quick: number, deep: number): number => (isDeep ? deep : quick)

/** The seed of everything random in a run; printed at its end, and set with TEST_SEED to repeat a failure. */
export const seed = Number(process.env.TEST_SEED ?? 1)
