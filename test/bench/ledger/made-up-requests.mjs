const errors = ['quota', 'rateLimit', 'server', 'network', 'aborted', 'cut']
const sources = /** @type {const} */ (['relay', 'relay', 'relay', 'toolLog', 'app'])
const yearMs = 365 * 86_400_000

export const plans = names('plan', 3)
export const keys = names('key', 10)
export const tools = names('tool', 8)
export const models = names('model', 6)

/**
 * @param {string} of
 * @param {number} count
 */
function names(of, count) {
  return Array.from({ length: count }, (_, at) => `${of}-${at}`)
}

/**
 * Deterministic random numbers.
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
}

/**
 * A generated request. Keys, tools and models are uniformly distributed, the worst case for sums.
 * @param {number} number
 * @param {number} at
 * @param {() => number} random
 * @returns {import('../../../src/main/usage/ports').LedgerEntry}
 */
export function createRequest(number, at, random) {
  const pickRandomItem = (/** @type {readonly string[]} */ of) => of[Math.floor(random() * of.length)] ?? ''
  const key = Math.floor(random() * keys.length)
  const isFailed = random() < 0.05
  return {
    id: `made-up-${number}-${Math.floor(random() * 1e12).toString(36)}`,
    at,
    source: sources[Math.floor(random() * sources.length)] ?? 'relay',
    planId: plans[key % plans.length],
    keyId: keys[key],
    toolId: pickRandomItem(tools),
    modelCode: pickRandomItem(models),
    standard: random() < 0.5 ? 'messages' : 'chat-completions',
    inputTokens: Math.floor(random() * 20_000),
    outputTokens: Math.floor(random() * 4_000),
    cacheReadTokens: Math.floor(random() * 100_000),
    cacheWriteTokens: 0,
    status: isFailed ? 429 : 200,
    ...(isFailed && { error: /** @type {'quota'} */ (pickRandomItem(errors)) }),
    firstByteMs: Math.floor(random() * 3_000),
    durationMs: Math.floor(random() * 60_000),
    answerId: `answer-${number}`,
  }
}

/**
 * A year of requests up to a time, in batches, oldest first.
 * @param {{ count: number, until: number, batchSize: number }} options
 */
export function* generateYearOfRequests({ count, until, batchSize }) {
  const random = createRandom(1)
  for (let generatedCount = 0; generatedCount < count; generatedCount += batchSize) {
    const size = Math.min(batchSize, count - generatedCount)
    yield Array.from({ length: size }, (_, at) => {
      const number = generatedCount + at
      return createRequest(number, Math.floor(until - yearMs + (number / count) * yearMs), random)
    })
  }
}
