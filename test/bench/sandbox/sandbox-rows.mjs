import { step } from '../../../scripts/lib/steps.mjs'
import { getRow } from '../statistics.mjs'
import { measureGateway } from './gateway-speed.mjs'

/**
 * @typedef {import('../statistics.mjs').Row} Row
 * @typedef {import('./gateway-speed.mjs').Round} Round
 */

/**
 * Loads the sandbox's gateway and a bare server alternately. The first round is a warm-up.
 * @param {{ runs: number, folder: string }} options
 * @returns {Promise<{ rows: Row[], rounds: Round[] }>}
 */
export async function benchSandbox({ runs, folder }) {
  const rounds = await step(
    `Loading a bare server and the sandbox's gateway in turn, ${runs} times each`,
    ({ report }) => measureGateway({ rounds: runs, folder, report }),
  )
  const row = (
    /** @type {Pick<Row, 'name' | 'unit' | 'goal'>} */ of,
    /** @type {(result: import('./load.mjs').LoadResult) => number} */ value,
  ) => getRow(of, { bare: rounds.map(({ bare }) => value(bare)), app: rounds.map(({ gateway }) => value(gateway)) })
  const name = 'sandbox gateway, small JSON, 16 in flight (bare: node:http)'
  const rows = [
    row({ name, unit: 'requests/s', goal: { min: 0.5 } }, ({ perSecond }) => perSecond),
    row({ name: 'the same, p50', unit: 'µs', goal: undefined }, ({ p50Ms }) => p50Ms * 1000),
    row({ name: 'the same, p99', unit: 'µs', goal: undefined }, ({ p99Ms }) => p99Ms * 1000),
  ]
  return { rows, rounds }
}
