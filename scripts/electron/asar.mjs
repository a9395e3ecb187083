/**
 * An asar archive of text files in its top folder: a Chromium pickle with the directory as JSON, then the bytes.
 * @param {Readonly<Record<string, string>>} files
 */
export function asar(files) {
  const contents = Object.values(files).map((text) => Buffer.from(text))
  const json = Buffer.from(JSON.stringify({ files: directory(Object.keys(files), contents) }))
  const padded = Buffer.alloc(Math.ceil(json.length / 4) * 4)
  json.copy(padded)
  const header = Buffer.concat([uint32(padded.length + 4), uint32(json.length), padded])
  return Buffer.concat([uint32(4), uint32(header.length), header, ...contents])
}

/**
 * @param {readonly string[]} names
 * @param {readonly Buffer[]} contents
 */
function directory(names, contents) {
  let offset = 0
  const rows = names.map((name, index) => {
    const size = contents[index]?.length ?? 0
    const row = [name, { size, offset: String(offset) }]
    offset += size
    return row
  })
  return Object.fromEntries(rows)
}

/** @param {number} value */
function uint32(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
