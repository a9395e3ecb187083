import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import { createWorkQueue } from '../core/work-queue'
import { isObject, parseExternalJson } from '../gateway/server-message'
import type { ToolLimit } from './tool-limit'

/** Names of the relay's errors for a request body that cannot be read. */
type BodyProblem = 'tooLarge' | 'busy' | 'unknownCoding' | 'corruptBody'

/** Reads a complete body and decompresses it. Does not call `onReceived` if the tool disconnects before. */
export function receiveBody(
  source: {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    readonly toolId: string
    /** `content-encoding` of the request. Empty for none. */
    readonly coding: string
    readonly maxBytes: number
    /** Limit of the bytes of all bodies in memory. A body counts until its response has ended. */
    readonly heldBytes: ToolLimit
  },
  onReceived: (body: Buffer | BodyProblem) => void,
): void {
  const { request, response, toolId, coding, maxBytes, heldBytes } = source
  const chunks: Buffer[] = []
  let reservedBytes = 0
  const reserveBytes = (bytes: number): boolean => {
    if (!heldBytes.take(toolId, bytes)) return false
    reservedBytes += bytes
    return true
  }
  const release = () => {
    heldBytes.release(toolId, reservedBytes)
    reservedBytes = 0
  }
  const resolveBody = (body: Buffer | BodyProblem) => {
    request.off('data', add).off('end', finishBody)
    chunks.length = 0
    if (typeof body === 'string') request.resume()
    if (response.destroyed) release()
    else onReceived(body)
  }
  const add = (chunk: Buffer) => {
    if (reservedBytes + chunk.length > maxBytes) resolveBody('tooLarge')
    else if (reserveBytes(chunk.length)) chunks.push(chunk)
    else resolveBody('busy')
  }
  const finishBody = () => {
    const body = (chunks.length === 1 && chunks[0]) || Buffer.concat(chunks)
    if (coding === '' || body.length === 0) return resolveBody(body)
    void unpackSerially(() => unpackBody(body, coding, maxBytes)).then((unpacked) =>
      resolveBody(typeof unpacked === 'string' || reserveBytes(unpacked.length) ? unpacked : 'busy'),
    )
  }
  request.on('data', add).on('end', finishBody)
  response.once('close', release)
}

/** Runs one decompression at a time, to limit the memory of many small bodies with a high ratio. */
const unpackSerially = createWorkQueue()

class OutputTooLargeError extends Error {}

async function unpackBody(body: Buffer, coding: string, maxBytes: number): Promise<Buffer | BodyProblem> {
  const contentCodings = readCodings(coding)
  if (contentCodings === undefined) return 'unknownCoding'
  const chunks: Buffer[] = []
  let length = 0
  const output = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      length += chunk.length
      chunks.push(chunk)
      callback(length > maxBytes ? new OutputTooLargeError() : null)
    },
  })
  try {
    await pipeline([Readable.from([body]), ...createDecoders(contentCodings, body[0] ?? 0), output])
  } catch (error) {
    return error instanceof OutputTooLargeError ? 'tooLarge' : 'corruptBody'
  }
  return Buffer.concat(chunks)
}

/** Node 22's zstd stops after the first frame (nodejs/node#64741). Small pieces: each may expand 30,000 times. */
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

const decoders = new Map<string, (firstByte: number) => Duplex>([
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
  const codings = names.filter((name) => name !== '' && name !== 'identity').reverse()
  return codings.length <= maxCodings && codings.every((name) => decoders.has(name)) ? codings : undefined
}

/** Decoders for these codings, in the order in which data passes through them. `firstByte`: first byte of the data. */
export const createDecoders = (codings: readonly string[], firstByte: number): readonly Duplex[] =>
  codings.flatMap((name, position) => decoders.get(name)?.(position === 0 ? firstByte : 8) ?? [])

/** Data of a JSON request body that routing, budgets and usage need. */
export type RequestFacts = NonNullable<ReturnType<typeof readFacts>>

const maxModelLength = 200

/** Parses a body like gateways do: the last of duplicate members wins. Undefined if it is no JSON object. */
export function readFacts(body: Buffer) {
  const json = readJsonObject(body)
  if (json === undefined) return undefined
  const { stream, stream_options: options } = json
  const model = typeof json.model === 'string' ? json.model : ''
  const hasSimilarMember = Object.keys(json).some((name) => name !== 'model' && name.toLowerCase() === 'model')
  return {
    /** Requested model. Undefined if the body has no model as text. */
    model: model.slice(0, maxModelLength) || undefined,
    /** Whether the body has a member such as `Model`, which some gateways read as the model, or a truncated model. */
    isModelAmbiguous: model.length > maxModelLength || hasSimilarMember,
    wantsStream: stream !== undefined && stream !== null && stream !== false,
    /** Whether the tool requests usage at the end of the stream. */
    asksForUsage: isObject(options) && options.include_usage === true,
    hasStreamOptions: options !== undefined,
  }
}

export function readJsonObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  const json = parseExternalJson(decodeJson(body))
  return isObject(json) ? json : undefined
}

/** Decodes UTF-8 or UTF-16, detected like in Python's `json`, by byte order mark or zero byte. */
function decodeJson(body: Buffer): string {
  const [first, second, third] = body
  if (first === 0xef && second === 0xbb && third === 0xbf) return body.toString('utf8', 3)
  if (first === 0xff && second === 0xfe) return body.toString('utf16le', 2)
  if (first === 0xfe && second === 0xff) return swapBytes(body).toString('utf16le', 2)
  if (second === 0 && third !== 0) return body.toString('utf16le')
  if (first === 0 && second !== 0) return swapBytes(body).toString('utf16le')
  return body.toString()
}

const swapBytes = (body: Buffer): Buffer => Buffer.from(body.subarray(0, body.length & ~1)).swap16()

const usageOption = Buffer.from('"stream_options":{"include_usage":true},')

/** Adds a request for usage at the end of the stream, if possible without changing any other byte of the body. */
export function addUsageOption(body: Buffer, { hasStreamOptions }: RequestFacts): Buffer {
  const isPlainJson = body[0] === openBrace && body[1] !== 0 && !hasStreamOptions
  if (isPlainJson) return Buffer.concat([body.subarray(0, 1), usageOption, body.subarray(1)])
  const json = readJsonObject(body) ?? {}
  const options = isObject(json.stream_options) ? json.stream_options : {}
  return Buffer.from(JSON.stringify({ ...json, stream_options: { ...options, include_usage: true } }))
}

const openBrace = 0x7b
