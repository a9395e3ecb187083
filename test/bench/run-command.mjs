import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/**
 * Runs a Node script to its end. Fails if the script does. Returns its output and duration.
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, input?: string }} options
 */
export const runNode = (args, options) => run(process.execPath, args, options)

/**
 * Runs a shell command to its end. Fails if the command does. Returns its output and duration.
 * @param {string} line
 * @param {{ env: NodeJS.ProcessEnv, input?: string }} options
 */
export const runShellLine = (line, options) => run('/bin/sh', ['-c', line], options)

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, input?: string }} options
 */
async function run(program, args, { env, input = '' }) {
  const startedAt = performance.now()
  const child = spawn(program, [...args], { env, stdio: 'pipe' })
  /** @type {Promise<number | null>} */
  const closePromise = new Promise((resolve) => child.once('close', resolve))
  child.stdin.on('error', () => {}).end(input)
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closePromise])
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with exit code ${code}:\n${errors}`)
  return { output, durationMs: performance.now() - startedAt }
}
