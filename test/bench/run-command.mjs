import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/**
 * Runs Node with a script to its end; fails when the script does. Returns what it printed and how long it took.
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, input?: string }} options
 */
export async function runNode(args, { env, input = '' }) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...args], { env, stdio: 'pipe' })
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.stdin.on('error', () => {}).end(input)
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with exit code ${code}:\n${errors}`)
  return { output, durationMs: performance.now() - startedAt }
}
