import type { IncomingMessage } from 'node:http'
import { Refused } from './refused'

function refuseSize(request: IncomingMessage, limitBytes: number): never {
  // What is still coming is read and dropped: a client that is still sending would not see the answer.
  request.resume()
  const message = `The body is larger than ${limitBytes} bytes.`
  throw new Refused({ status: 413, code: 'request_too_large', message })
}

/** The body as text. Throws 413 beyond the limit; rejects when the client leaves. */
export async function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) refuseSize(request, limitBytes)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limitBytes) refuseSize(request, limitBytes)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
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
