import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { resolveFromRoot } from '../../../scripts/lib/project.mjs'

/**
 * Measuring instruments: a gateway and a tool in C. In Node they would use as much CPU per request as the subject.
 *
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {string} message one whole request, head and body
 * @property {number} inFlight connections, each with one request at a time
 * @property {number} durationMs
 *
 * @typedef {object} LoadResult
 * @property {number} perSecond complete answers
 * @property {number} p50Us
 * @property {number} p99Us
 * @property {number} failed answers other than 200
 *
 * @typedef {object} Gateway
 * @property {number | undefined} pid
 * @property {number} port
 * @property {() => Promise<bigint>} left time in ns at which the client leaves the next stream
 * @property {() => void} end
 *
 * @typedef {object} Load
 * @property {number | undefined} pid
 * @property {(order: LoadOrder) => Promise<LoadResult>} run
 * @property {() => void} end
 */

/** Whether this computer can build and run the C programs that measure the relay. */
export function hasInstruments() {
  if (process.platform !== 'linux') return false
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * @param {string} name
 * @param {string} folder
 */
function startProgram(name, folder) {
  mkdirSync(folder, { recursive: true })
  const program = join(folder, name)
  execFileSync('cc', ['-O2', '-o', program, resolveFromRoot(`test/bench/relay/${name}.c`)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  /** @type {() => Promise<string>} */
  const nextLine = () =>
    new Promise((resolve, reject) => {
      const rejectEarlyExit = () => reject(new Error(`The bench's ${name} exited too early.`))
      lines.once('line', (line) => {
        lines.off('close', rejectEarlyExit)
        resolve(line)
      })
      lines.once('close', rejectEarlyExit)
    })
  return { pid: child.pid, stdin: child.stdin, nextLine, end: () => void child.stdin.end() }
}

/**
 * @param {string} folder for what is built
 * @returns {Promise<Gateway>}
 */
export async function startGateway(folder) {
  const { pid, nextLine, end } = startProgram('gateway', folder)
  const readWord = async () => (await nextLine()).split(' ')[1] ?? ''
  return { pid, port: Number(await readWord()), left: async () => BigInt(await readWord()), end }
}

/**
 * @param {string} folder for what is built
 * @returns {Load}
 */
export function startLoadGenerator(folder) {
  const { pid, stdin, nextLine, end } = startProgram('load', folder)
  /** @param {LoadOrder} order */
  const run = async ({ port, message, inFlight, durationMs }) => {
    stdin.write(`${port} ${inFlight} ${durationMs} ${Buffer.byteLength(message)}\n${message}`)
    const result = JSON.parse(await nextLine())
    if (result.error !== undefined) throw new Error(result.error)
    return result
  }
  return { pid, run, end }
}
