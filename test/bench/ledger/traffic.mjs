import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, madeUp } from './made-up-requests.mjs'

/**
 * @typedef {import('../../../src/main/usage/ports').Ledger} Ledger
 * @typedef {{ p99Ms: number, mostMs: number }} Delay
 * @typedef {Delay & { perSecond: number, kept: number, asked: number, slowestMs: number }} Traffic
 */

/** Interval of the measurement, in ms. */
const resolution = 2
/** Interval in ms after which due requests are added. */
const turnMs = 10

/**
 * Timer delay of this thread without writes.
 * @param {number} ms
 * @returns {Promise<Delay>}
 */
export async function quietDelay(ms) {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const until = Date.now() + ms
  while (Date.now() < until) await wait(turnMs)
  return told(delay)
}

/**
 * Adds this many requests per second one by one, like a relay, while queries run in sequence.
 * @param {Ledger} ledger
 * @param {{ perSecond: number, ms: number, questions: readonly import('./questions.mjs').Question[] }} options
 * @returns {Promise<Traffic>}
 */
export async function measureTraffic(ledger, { perSecond, ms, questions }) {
  const random = createRandom(Date.now() % 1e6)
  const before = (await ledger.storage()).requests
  const delay = monitorEventLoopDelay({ resolution })
  const began = Date.now()
  let [added, asked, slowestMs, isOver] = [0, 0, 0, false]
  const asking = (async () => {
    while (!isOver) {
      const started = performance.now()
      await questions[asked % questions.length]?.ask(ledger)
      slowestMs = Math.max(slowestMs, performance.now() - started)
      asked += 1
      await wait(5)
    }
  })()
  delay.enable()
  while (Date.now() - began < ms) {
    const due = Math.floor(((Date.now() - began) / 1000) * perSecond)
    for (; added < due; added += 1) ledger.add([madeUp(began + added, Date.now(), random)])
    await wait(turnMs)
  }
  const measured = told(delay)
  isOver = true
  await asking
  await ledger.flush()
  const seconds = (Date.now() - began) / 1000
  const kept = (await ledger.storage()).requests - before
  return { ...measured, perSecond: kept / seconds, kept: kept / added, asked, slowestMs }
}

/**
 * @param {import('node:perf_hooks').IntervalHistogram} delay
 * @returns {Delay}
 */
function told(delay) {
  delay.disable()
  return { p99Ms: delay.percentile(99) / 1e6 - resolution, mostMs: delay.max / 1e6 - resolution }
}
