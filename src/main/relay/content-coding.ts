import { Duplex } from 'node:stream'
import zlib from 'node:zlib'
import { Decompress } from 'fzstd'

/**
 * Node 22 has zstd as well, but stops after the first of several frames (nodejs/node#64741). Feeds small pieces, because
 * each may expand 30,000 times.
 */
async function* decodeZstd(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const output: Buffer[] = []
  const stream = new Decompress((chunk) => void output.push(Buffer.from(chunk)))
  for await (const bytes of input) {
    for (let position = 0; position < bytes.length; position += 1024) {
      stream.push(bytes.subarray(position, position + 1024))
      yield* output.splice(0)
    }
  }
  // Throws if the last frame is incomplete.
  stream.push(Buffer.alloc(0), true)
  yield* output
}

const decoders: ReadonlyMap<string, (firstByte: number) => Duplex> = new Map<string, (firstByte: number) => Duplex>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['br', () => zlib.createBrotliDecompress()],
  // Some programs send raw deflate data without a zlib header. A zlib header begins with 0x?8.
  ['deflate', (firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw())],
  ['zstd', () => Duplex.from(decodeZstd)],
])

/** Maximum number of codings. Real requests have at most two. */
const maxCodings = 4

/** Codings of a `content-encoding` header, last applied first. Undefined if one is unknown. */
export function readCodings(header: string): readonly string[] | undefined {
  const names = header.split(',').map((name) => name.trim().toLowerCase())
  const appliedCodings = names.filter((name) => name !== '' && name !== 'identity').reverse()
  return appliedCodings.length <= maxCodings && appliedCodings.every((name) => decoders.has(name))
    ? appliedCodings
    : undefined
}

/** Decoders for these codings, in the order in which data passes through them. `firstByte`: first byte of the data. */
export const createDecoders = (codings: readonly string[], firstByte: number): readonly Duplex[] =>
  codings.flatMap((name, position) => decoders.get(name)?.(position === 0 ? firstByte : 8) ?? [])
