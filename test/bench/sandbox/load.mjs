import { connect } from 'node:net'

/**
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {string} message one whole request, head and body
 * @property {number} inFlight connections, each with one request at a time
 * @property {number} durationMs
 *
 * @typedef {object} LoadResult
 * @property {number} perSecond complete answers
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} failed answers other than 200
 */

const headTerminator = Buffer.from('\r\n\r\n')
const readBufferBytes = 16 * 1024

const chunksTerminator = Buffer.from('0\r\n\r\n')

/**
 * Repeats a request over one connection and reports each complete answer. Parses HTTP minimally: a header in one chunk
 * with a length, or chunked encoding.
 * @param {LoadOrder} order
 * @param {(status: number) => boolean} onAnswer returns whether to continue
 * @returns {Promise<void>}
 */
function runConnection({ port, message }, onAnswer) {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(message)
    let status = 0
    let missingCount = 0
    const processChunk = (/** @type {Buffer} */ chunk) => {
      if (missingCount === 0) {
        const headLength = chunk.indexOf(headTerminator) + headTerminator.length
        const head = chunk.toString('latin1', 0, headLength)
        status = Number(head.slice(9, 12))
        const isChunked = /\r\ntransfer-encoding: chunked/i.test(head)
        missingCount = isChunked ? Infinity : headLength + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
      }
      missingCount =
        missingCount === Infinity && chunk.subarray(-chunksTerminator.length).equals(chunksTerminator)
          ? 0
          : missingCount - chunk.length
      if (missingCount > 0) return
      if (Number.isNaN(missingCount)) socket.destroy(new Error('A response had no length.'))
      else if (onAnswer(status)) socket.write(bytes)
      else socket.end()
    }
    const onread = {
      buffer: Buffer.allocUnsafe(readBufferBytes),
      callback: (/** @type {number} */ size, /** @type {Uint8Array} */ buffer) => {
        processChunk(Buffer.from(buffer.buffer, buffer.byteOffset, size))
        return true
      },
    }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () => socket.write(bytes))
    socket.once('error', reject).once('close', () => resolve())
  })
}

/**
 * @param {LoadOrder} order
 * @returns {Promise<LoadResult>}
 */
async function run(order) {
  const startedMs = performance.now()
  const endMs = startedMs + order.durationMs
  /** @type {number[]} */
  const latencies = []
  let failedCount = 0
  const connection = () => {
    let sentMs = performance.now()
    return runConnection(order, (status) => {
      const nowMs = performance.now()
      latencies.push(nowMs - sentMs)
      sentMs = nowMs
      if (status !== 200) failedCount += 1
      return nowMs < endMs
    })
  }
  await Promise.all(Array.from({ length: order.inFlight }, connection))
  const elapsedMs = performance.now() - startedMs
  latencies.sort((a, b) => a - b)
  const getPercentile = (/** @type {number} */ share) =>
    latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN
  return {
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: getPercentile(0.5),
    p99Ms: getPercentile(0.99),
    failed: failedCount,
  }
}

process.on('message', async (/** @type {LoadOrder} */ order) => {
  try {
    process.send?.(await run(order))
  } catch (error) {
    process.send?.({ error: String(error) })
  }
})
process.on('disconnect', () => process.exit())
