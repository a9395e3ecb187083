/** Byte sequence that precedes the fuses in every Electron binary. */
export const sentinel = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX')

const removed = 0x72
const on = 0x31
const off = 0x30

const order = /** @type {const} */ ([
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeInspect',
  'asarIntegrity',
  'onlyLoadAppFromAsar',
  'browserSnapshot',
  'fileProtocolPrivileges',
])

/** @typedef {Partial<Record<typeof order[number], boolean>>} Fuses */

/**
 * Sets fuses of an Electron binary in place. Returns the changed positions and the names of the changed fuses.
 * @param {Buffer} binary
 * @param {Fuses} wanted
 */
export function setFuses(binary, wanted) {
  const wire = findWire(binary)
  const changed = order.filter((name, index) => {
    const state = wanted[name]
    if (state === undefined) return false
    if (index >= wire.length || wire[index] === removed) throw new Error(`This Electron has no fuse ${name}.`)
    const value = state ? on : off
    const isNew = wire[index] !== value
    wire[index] = value
    return isNew
  })
  return { start: wire.byteOffset - binary.byteOffset, length: wire.length, changed }
}

/** @param {Buffer} binary */
function findWire(binary) {
  const at = binary.indexOf(sentinel)
  if (at < 0) throw new Error('No fuses found: this is not an Electron binary.')
  if (binary.indexOf(sentinel, at + 1) >= 0) throw new Error('Fuses found twice.')
  const header = at + sentinel.length
  if (binary[header] !== 1) throw new Error(`Fuses of an unknown version (${binary[header]}).`)
  const start = header + 2
  return binary.subarray(start, start + (binary[header + 1] ?? 0))
}
