/** The limits of a comparison, as the contract has them. */
export const most = { columns: 8, variables: 20, cases: 200, valueLength: 100_000, nameLength: 60 } as const

/** From how many requests on a run is asked about first. */
export const bigRun = 20
