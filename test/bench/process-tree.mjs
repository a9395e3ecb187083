import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * @typedef {object} ProcessMemory
 * @property {string} type `browser`, `zygote`, `gpu-process`, `utility`, `renderer` ...
 * @property {number} privateMb what the process shares with no other, in units of 1,000,000 bytes
 */

/**
 * Private memory of a process and its children (Linux).
 * @param {number} rootId
 * @returns {ProcessMemory[]}
 */
export function readProcessTreeMemory(rootId) {
  return listProcessTreeIds(rootId).flatMap((id) => {
    const memoryRollup = readProcFile(id, 'smaps_rollup')
    if (memoryRollup === '') return []
    const privateKib = [...memoryRollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].reduce(
      (sum, row) => sum + Number(row[1]),
      0,
    )
    return [{ type: getProcessType(id), privateMb: (privateKib * 1024) / 1_000_000 }]
  })
}

/**
 * Whether other processes run the same program, whose shared memory would not count as private (Linux).
 * @param {number} rootId
 */
export function hasSameProgramRunning(rootId) {
  const ownIds = new Set(listProcessTreeIds(rootId))
  const program = readExecutable(rootId)
  return processIds().some((id) => !ownIds.has(id) && readExecutable(id) === program)
}

/** @param {number} rootId */
function listProcessTreeIds(rootId) {
  const rows = processIds().map((id) => ({ id, parent: readParentId(id) }))
  const descendantIds = [rootId]
  for (const id of descendantIds) descendantIds.push(...rows.filter(({ parent }) => parent === id).map((row) => row.id))
  return descendantIds
}

function processIds() {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return names.map(Number)
}

/** @param {number} id */
function readExecutable(id) {
  try {
    return readlinkSync(`/proc/${id}/exe`)
  } catch {
    return ''
  }
}

/** @param {number} id */
function readParentId(id) {
  // The program's name, in brackets, may contain spaces and brackets.
  const text = readProcFile(id, 'stat')
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
}

/** @param {number} id */
function getProcessType(id) {
  return /--type=([\w-]+)/.exec(readProcFile(id, 'cmdline'))?.[1] ?? 'browser'
}

/**
 * @param {number} id
 * @param {'stat' | 'cmdline' | 'smaps_rollup'} file
 */
function readProcFile(id, file) {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
