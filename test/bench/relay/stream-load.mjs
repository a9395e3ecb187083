import { connect } from 'node:net'

/**
 * @typedef {object} StreamOrder
 * @property {number} port
 * @property {string} message one whole request, head and body
 * @property {number} streams at the same time
 * @property {boolean} leaves goes away after the first chunk
 *
 * @typedef {object} StreamResult
 * @property {number} firstUs from the request to the first chunk, median
 * @property {number} chunkP50Us from the gateway to here
 * @property {number} chunkP99Us
 * @property {number} chunks
 * @property {number} cut streams without an end
 * @property {readonly string[]} leftAt when it went away, in ns
 */

const maxSilenceMs = 5000

/**
 * @param {StreamOrder} order
 * @param {{ firsts: number[], delays: number[], leftAt: string[] }} seen
 * @returns {Promise<boolean>} whether the stream came to its end
 */
function runStream({ port, message, leaves }, { firsts, delays, leftAt }) {
  return new Promise((resolve) => {
    let isFirst = true
    let isComplete = false
    let firstSendNs = 0n
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      firstSendNs = process.hrtime.bigint()
      socket.write(message)
    })
    socket.setEncoding('latin1').on('data', (text) => {
      const currentNs = process.hrtime.bigint()
      for (const [, stamp = '0'] of String(text).matchAll(/@(\d{20})@/g)) {
        delays.push(Number(currentNs - BigInt(stamp)) / 1000)
        if (isFirst) firsts.push(Number(currentNs - firstSendNs) / 1000)
        isFirst = false
      }
      if (leaves && !isFirst) {
        leftAt.push(process.hrtime.bigint().toString())
        socket.destroy()
      } else if (String(text).includes('\r\n0\r\n\r\n') || String(text) === '0\r\n\r\n') {
        isComplete = true
        socket.end()
      }
    })
    socket.setTimeout(maxSilenceMs, () => socket.destroy())
    socket.on('error', () => undefined).on('close', () => resolve(isComplete))
  })
}

/**
 * @param {StreamOrder} order
 * @returns {Promise<StreamResult>}
 */
async function run(order) {
  /** @type {{ firsts: number[], delays: number[], leftAt: string[] }} */
  const streamTimes = { firsts: [], delays: [], leftAt: [] }
  const streamResults = await Promise.all(Array.from({ length: order.streams }, () => runStream(order, streamTimes)))
  const getPercentile = (/** @type {number[]} */ values, /** @type {number} */ share) => {
    values.sort((a, b) => a - b)
    return values[Math.floor((values.length - 1) * share)] ?? Number.NaN
  }
  return {
    firstUs: getPercentile(streamTimes.firsts, 0.5),
    chunkP50Us: getPercentile(streamTimes.delays, 0.5),
    chunkP99Us: getPercentile(streamTimes.delays, 0.99),
    chunks: streamTimes.delays.length,
    cut: order.leaves ? 0 : streamResults.filter((isWhole) => !isWhole).length,
    leftAt: streamTimes.leftAt,
  }
}

process.on('message', async (/** @type {StreamOrder} */ order) => process.send?.(await run(order)))
process.on('disconnect', () => process.exit())
