import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'

/**
 * @typedef {object} ZipEntry
 * @property {string} name with forward slashes, as the archive has it
 * @property {number} method 0 stored, 8 deflated
 * @property {number} crc
 * @property {number} compressedSize
 * @property {number} size
 * @property {number} offset where its local header starts
 * @property {number} mode Unix file type and permissions; 0 when the archive has none
 */

const signature = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator64: 0x07064b50 }
const endLength = 22
const longestComment = 0xffff
const needs64 = 0xffffffff
const fileTypeMask = 0o170000
const symbolicLink = 0o120000

/**
 * Reads the entries of a zip file (zip64 too) from its central directory. Fails if the file is incomplete.
 * @param {string} path
 * @returns {Promise<ZipEntry[]>}
 */
export async function readZip(path) {
  const file = await open(path)
  try {
    const { size: fileSize } = await file.stat()
    const { count, size, offset } = await findDirectory(file, fileSize)
    const directory = await read(file, offset, size)
    return parseDirectory(directory, count)
  } catch (error) {
    if (error instanceof RangeError) throw new Error('The zip file is damaged: a record ends too early.')
    throw error
  } finally {
    await file.close()
  }
}

/**
 * @param {import('node:fs/promises').FileHandle} file
 * @param {number} fileSize
 */
async function findDirectory(file, fileSize) {
  const start = Math.max(0, fileSize - endLength - longestComment)
  const tail = await read(file, start, fileSize - start)
  const at = lastSignature(tail)
  const end = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  if (end.count !== 0xffff && end.size !== needs64 && end.offset !== needs64) return end
  const locator = tail.subarray(at - 20, at)
  if (locator.readUInt32LE(0) !== signature.locator64) return end
  const end64 = await read(file, safe(locator.readBigUInt64LE(8)), 56)
  if (end64.readUInt32LE(0) !== signature.end64) throw new Error('The zip file is damaged: no zip64 directory.')
  return {
    count: safe(end64.readBigUInt64LE(32)),
    size: safe(end64.readBigUInt64LE(40)),
    offset: safe(end64.readBigUInt64LE(48)),
  }
}

/** @param {Buffer} tail */
function lastSignature(tail) {
  for (let at = tail.length - endLength; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === signature.end) return at
  }
  throw new Error('This is not a whole zip file: its directory is missing.')
}

/**
 * @param {Buffer} directory
 * @param {number} count
 */
function parseDirectory(directory, count) {
  const entries = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    const { entry, length } = parseEntry(directory.subarray(at))
    entries.push(entry)
    at += length
  }
  return entries
}

/**
 * @param {Buffer} record
 * @returns {{ entry: ZipEntry, length: number }}
 */
function parseEntry(record) {
  if (record.readUInt32LE(0) !== signature.central) throw new Error('The zip file is damaged: a bad directory record.')
  const nameEnd = 46 + record.readUInt16LE(28)
  const extraEnd = nameEnd + record.readUInt16LE(30)
  const entry = {
    name: record.toString('utf8', 46, nameEnd),
    method: record.readUInt16LE(10),
    crc: record.readUInt32LE(16),
    compressedSize: record.readUInt32LE(20),
    size: record.readUInt32LE(24),
    offset: record.readUInt32LE(42),
    mode: record.readUInt16LE(40),
  }
  widen(entry, record.subarray(nameEnd, extraEnd))
  return { entry, length: extraEnd + record.readUInt16LE(32) }
}

/**
 * Takes the sizes that did not fit in 32 bits from the zip64 extra field.
 * @param {ZipEntry} entry
 * @param {Buffer} extra
 */
function widen(entry, extra) {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let field = at + 4
    for (const key of /** @type {const} */ (['size', 'compressedSize', 'offset'])) {
      if (entry[key] !== needs64) continue
      entry[key] = safe(extra.readBigUInt64LE(field))
      field += 8
    }
  }
}

/**
 * Writes one file of the archive to `target`, and fails when its bytes are not those that the directory promises.
 * @param {string} path the zip file
 * @param {ZipEntry} entry
 * @param {string} target
 */
export async function extract(path, entry, target) {
  if ((entry.mode & fileTypeMask) === symbolicLink) throw new Error(`${entry.name} is a symbolic link.`)
  if (entry.method !== 0 && entry.method !== 8) throw new Error(`${entry.name} is compressed in an unknown way.`)
  await mkdir(dirname(target), { recursive: true })
  const start = await dataStart(path, entry)
  const end = start + entry.compressedSize - 1
  const source = entry.compressedSize === 0 ? [] : createReadStream(path, { start, end })
  const output = createWriteStream(target, { mode: entry.mode & 0o777 || 0o644 })
  if (entry.method === 0) await pipeline(source, checked(entry), output)
  else await pipeline(source, createInflateRaw(), checked(entry), output)
}

/**
 * @param {string} path
 * @param {ZipEntry} entry
 */
async function dataStart(path, entry) {
  const file = await open(path)
  try {
    const header = await read(file, entry.offset, 30)
    if (header.readUInt32LE(0) !== signature.local) throw new Error(`${entry.name} is not where the directory says.`)
    return entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  } finally {
    await file.close()
  }
}

/** @param {ZipEntry} entry */
function checked(entry) {
  let size = 0
  let sum = 0
  return new Transform({
    transform(chunk, _encoding, done) {
      size += chunk.length
      sum = crc32(chunk, sum)
      if (size > entry.size) done(new Error(`${entry.name} is larger than the directory says.`))
      else done(null, chunk)
    },
    flush(done) {
      const isWhole = size === entry.size && sum === entry.crc
      done(isWhole ? null : new Error(`${entry.name} is damaged: its checksum is wrong.`))
    },
  })
}

/**
 * @param {import('node:fs/promises').FileHandle} file
 * @param {number} position
 * @param {number} length
 */
async function read(file, position, length) {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead < length) throw new Error('The zip file is damaged: it ends too early.')
  return buffer
}

/** @param {bigint} value */
function safe(value) {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('The zip file is damaged: an impossible size.')
  return Number(value)
}
