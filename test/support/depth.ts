/** Whether the long form of the tests runs: `npm run test:deep`. */
export const isDeepRun = process.env.TEST_DEPTH === 'deep'

/** Repetitions of a property or fault: `quick` in `npm test`, `deep` in `npm run test:deep`. */
export const getRounds = (quick: number, deep: number): number => (isDeepRun ? deep : quick)

/** Random seed of a run, printed at its end. Set TEST_SEED to reproduce a failure. */
export const seed = Number(process.env.TEST_SEED ?? 1)
