import { readdirSync, readFileSync } from 'node:fs'

/** @typedef {{ id: number, state: string, group: number }} ProcessRow */

/**
 * Lists the processes of this Linux machine. State "Z" is a zombie.
 * @returns {ProcessRow[]}
 */
export function processTable() {
  return processIds().flatMap((id) => {
    // In `/proc/PID/stat`, the program name in parentheses may contain spaces and parentheses.
    const text = readProcess(id, 'stat')
    const [state = '', , group = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return text === '' ? [] : [{ id, state, group: Number(group) }]
  })
}

/**
 * Lists the processes with this environment variable and value.
 * @param {string} name
 * @param {string} value
 */
export function listProcessesWith(name, value) {
  return processIds().filter((id) => readProcess(id, 'environ').split('\0').includes(`${name}=${value}`))
}

function processIds() {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return names.map(Number)
}

/**
 * @param {number} id
 * @param {'stat' | 'environ'} file
 */
function readProcess(id, file) {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
