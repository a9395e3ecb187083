/** Whether the long form of the tests runs: `npm run test:deep`. */
export const isDeep = process.env.TEST_DEPTH === 'deep'

/** Repetitions of a property or fault: `quick` in `npm test`, `deep` in `npm run test:deep`. */
export const rounds = (quick: number, deep: number): number => (isDeep ? deep : quick)

/** Random seed of a run, printed at its end. Set TEST_SEED to reproduce a failure. */
export const seed = Number(process.env.TEST_SEED ?? 1)
