import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/**
 * Calls `run` while the processes, with threads and children, share one core. A shared core excludes the cost of waking
 * another core. Undefined where `taskset` is missing (only Linux has it).
 * @template T
 * @param {readonly number[]} pids
 * @param {() => Promise<T>} run
 * @returns {Promise<T | undefined>}
 */
export async function runOnSameCore(pids, run) {
  const allPids = pids.flatMap(withChildren)
  const bind = (/** @type {string} */ cores) => {
    for (const pid of allPids) execFileSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' })
  }
  try {
    bind('0')
  } catch {
    return undefined
  }
  try {
    return await run()
  } finally {
    bind(`0-${cpus().length - 1}`)
  }
}

/**
 * @param {number} pid
 * @returns {number[]}
 */
function withChildren(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return [pid, ...children.flatMap((child) => withChildren(Number(child)))]
  } catch {
    return [pid]
  }
}
