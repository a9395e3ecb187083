import type { IncomingMessage } from 'node:http'
import { Refused } from './refused'

const tooLarge = (limitBytes: number): Refused =>
  new Refused({ status: 413, code: 'request_too_large', message: `The body is larger than ${limitBytes} bytes.` })

/** The body as text. Throws 413 beyond the limit; rejects when the client leaves. */
export function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  const isAnnouncedTooLarge = Number(request.headers['content-length'] ?? 0) > limitBytes
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    // What comes beyond the limit is read and dropped: a client that is still sending would not see the answer.
    const add = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) chunks.push(chunk)
      else drop()
    }
    const drop = () => {
      chunks = []
      reject(tooLarge(limitBytes))
    }
    const end = () => {
      const [first] = chunks
      resolve(first && chunks.length === 1 ? first.toString('utf8') : Buffer.concat(chunks).toString('utf8'))
    }
    if (isAnnouncedTooLarge) drop()
    request.on('data', add).on('end', end).on('error', reject)
  })
}

/** The body as JSON. Throws 413 beyond the limit and 400 for what is not JSON; rejects when the client leaves. */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const text = await readText(request, limitBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused({ status: 400, code: 'invalid_json', message: 'The body is not valid JSON.' })
  }
}
