/** Byte sequence that precedes the fuses in every Electron binary. */
export const sentinel = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX')

const removedFuseByte = 0x72
const enabledFuseByte = 0x31
const disabledFuseByte = 0x30

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
 * Sets fuses of an Electron binary in place. Returns the byte offsets and the names of the changed fuses.
 * @param {Buffer} binary
 * @param {Fuses} wanted
 */
export function setFuses(binary, wanted) {
  const fuseBytes = findFuseWire(binary)
  const changedFuses = order.filter((name, index) => {
    const state = wanted[name]
    if (state === undefined) return false
    if (index >= fuseBytes.length || fuseBytes[index] === removedFuseByte)
      throw new Error(`This Electron has no fuse ${name}.`)
    const value = state ? enabledFuseByte : disabledFuseByte
    const isNew = fuseBytes[index] !== value
    fuseBytes[index] = value
    return isNew
  })
  return { start: fuseBytes.byteOffset - binary.byteOffset, length: fuseBytes.length, changed: changedFuses }
}

/** @param {Buffer} binary */
function findFuseWire(binary) {
  const sentinelIndex = binary.indexOf(sentinel)
  if (sentinelIndex < 0) throw new Error('No fuses found: this is not an Electron binary.')
  if (binary.indexOf(sentinel, sentinelIndex + 1) >= 0) throw new Error('Fuses found twice.')
  const header = sentinelIndex + sentinel.length
  if (binary[header] !== 1) throw new Error(`Fuses of an unknown version (${binary[header]}).`)
  const start = header + 2
  return binary.subarray(start, start + (binary[header + 1] ?? 0))
}
