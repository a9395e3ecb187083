import { crc32, deflateRawSync } from 'node:zlib'

/** A file to put into a zip. */
export interface ZipInput {
  readonly name: string
  readonly content: string
  readonly deflated?: boolean
  readonly mode?: number
}

/** A complete zip file with these entries, following the specification. */
export function makeZip(inputs: readonly ZipInput[]): Buffer {
  const localEntries: Buffer[] = []
  const records: Buffer[] = []
  let offset = 0
  for (const input of inputs) {
    const content = Buffer.from(input.content)
    const data = input.deflated ? deflateRawSync(content) : content
    const localEntry = Buffer.concat([localHeader(input, content, data), Buffer.from(input.name), data])
    localEntries.push(localEntry)
    records.push(record(input, { content, data, offset }))
    offset += localEntry.length
  }
  const directory = Buffer.concat(records)
  return Buffer.concat([...localEntries, directory, buildEndRecord(inputs.length, directory.length, offset)])
}

/** Flag of an entry with a UTF-8 name. */
const utf8Names = 0x0800

function localHeader(input: ZipInput, content: Buffer, data: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(utf8Names, 6)
  header.writeUInt16LE(input.deflated ? 8 : 0, 8)
  header.writeUInt32LE(crc32(content), 14)
  header.writeUInt32LE(data.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(Buffer.byteLength(input.name), 26)
  return header
}

interface ZipEntryPosition {
  readonly content: Buffer
  readonly data: Buffer
  readonly offset: number
}

function record(input: ZipInput, { content, data, offset }: ZipEntryPosition): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(utf8Names, 8)
  header.writeUInt16LE(input.deflated ? 8 : 0, 10)
  header.writeUInt32LE(crc32(content), 16)
  header.writeUInt32LE(data.length, 20)
  header.writeUInt32LE(content.length, 24)
  header.writeUInt16LE(Buffer.byteLength(input.name), 28)
  header.writeUInt16LE(input.mode ?? 0o100644, 40)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, Buffer.from(input.name)])
}

function buildEndRecord(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(size, 12)
  record.writeUInt32LE(offset, 16)
  return record
}
