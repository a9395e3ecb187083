import { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { Decompress } from 'fzstd'

/** `createZstdDecompress` came with Node 22.15, after the type declarations used here. */
const nativeZstd: unknown = Reflect.get(zlib, 'createZstdDecompress')

function createZstdDecoder(): Transform {
  if (typeof nativeZstd === 'function') return (nativeZstd as typeof zlib.createGunzip)()
  const decoder = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        stream.push(chunk)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error('The zstd data is damaged.'))
      }
    },
  })
  const stream = new Decompress((chunk) => void decoder.push(Buffer.from(chunk)))
  return decoder
}

const decoders: ReadonlyMap<string, (first: number) => Transform> = new Map<string, (first: number) => Transform>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['br', () => zlib.createBrotliDecompress()],
  // Some servers send raw deflate data without the zlib header, whose first byte ends in 8.
  ['deflate', (first) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw())],
  ['zstd', createZstdDecoder],
])

/** No server has a reason for more than two. */
const maxCodings = 4

/** The codings of a `content-encoding` header, the last applied first. Undefined when one is not known. */
export function readCodings(header: string): readonly string[] | undefined {
  const names = header.split(',').map((name) => name.trim().toLowerCase())
  const applied = names.filter((name) => name !== '' && name !== 'identity').reverse()
  return applied.length <= maxCodings && applied.every((name) => decoders.has(name)) ? applied : undefined
}

/** Decoders of these codings, to be piped in this order. `first` is the first byte of the data. */
export const createDecoders = (codings: readonly string[], first: number): readonly Transform[] =>
  codings.flatMap((name, position) => decoders.get(name)?.(position === 0 ? first : 8) ?? [])
