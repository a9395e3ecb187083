import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, createRequest } from './made-up-requests.mjs'

/**
 * @typedef {import('../../../src/main/usage/ledger-client').Ledger} Ledger
 * @typedef {{ p99Ms: number, maxMs: number }} Delay
 * @typedef {Delay & { perSecond: number, kept: number, asked: number, slowestMs: number }} Traffic
 */

/** Interval of the measurement, in ms. */
const resolution = 2
/** Interval in ms after which due requests are added. */
const tickIntervalMs = 10

/**
 * Timer delay of this thread without writes.
 * @param {number} ms
 * @returns {Promise<Delay>}
 */
export async function measureIdleDelay(ms) {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const deadlineMs = Date.now() + ms
  while (Date.now() < deadlineMs) await wait(tickIntervalMs)
  return readDelay(delay)
}

/**
 * Adds this many requests per second one by one, like a relay, while queries run in sequence.
 * @param {Ledger} ledger
 * @param {{ perSecond: number, ms: number, questions: readonly import('./questions.mjs').Question[] }} options
 * @returns {Promise<Traffic>}
 */
export async function measureTraffic(ledger, { perSecond, ms, questions }) {
  const random = createRandom(Date.now() % 1e6)
  const requestsBefore = (await ledger.storage()).requests
  const delay = monitorEventLoopDelay({ resolution })
  const startedMs = Date.now()
  let [added, asked, slowestMs, isOver] = [0, 0, 0, false]
  const queryPromise = (async () => {
    while (!isOver) {
      const startMs = performance.now()
      await questions[asked % questions.length]?.ask(ledger)
      slowestMs = Math.max(slowestMs, performance.now() - startMs)
      asked += 1
      await wait(5)
    }
  })()
  delay.enable()
  while (Date.now() - startedMs < ms) {
    const expectedCount = Math.floor(((Date.now() - startedMs) / 1000) * perSecond)
    for (; added < expectedCount; added += 1) ledger.add([createRequest(startedMs + added, Date.now(), random)])
    await wait(tickIntervalMs)
  }
  const delayFigures = readDelay(delay)
  isOver = true
  await queryPromise
  await ledger.flush()
  const seconds = (Date.now() - startedMs) / 1000
  const storedCount = (await ledger.storage()).requests - requestsBefore
  return { ...delayFigures, perSecond: storedCount / seconds, kept: storedCount / added, asked, slowestMs }
}

/**
 * @param {import('node:perf_hooks').IntervalHistogram} delay
 * @returns {Delay}
 */
function readDelay(delay) {
  delay.disable()
  return { p99Ms: delay.percentile(99) / 1e6 - resolution, maxMs: delay.max / 1e6 - resolution }
}
