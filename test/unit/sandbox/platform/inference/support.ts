import { type Harness, type Json, parseEvents, type RawAnswer, rawRequest } from '../../support'

export const basePath = '/inference/v1'

export async function send(harness: Harness, path: string, body: object, credential?: string): Promise<RawAnswer> {
  const authorization = `Bearer ${credential ?? (await harness.token())}`
  const url = `${harness.platformUrl}${basePath}${path}`
  return rawRequest(url, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
}

/** The parsed response of a successful call. */
export async function fetchAnswer(harness: Harness, path: string, body: object): Promise<Json> {
  const { status, text } = await send(harness, path, body)
  if (status !== 200) throw new Error(`refused: ${status} ${text}`)
  return JSON.parse(text)
}

/** The parsed events of a streamed response. */
export async function readStream(harness: Harness, path: string, body: object): Promise<Json[]> {
  const { status, headers, text } = await send(harness, path, { ...body, stream: true })
  if (status !== 200 || headers['content-type'] !== 'text/event-stream; charset=utf-8') throw new Error(text)
  return parseEvents(text)
}

/** The error of a refused call, with its status. */
export async function catchRefusal(harness: Harness, path: string, body: object, credential?: string): Promise<Json> {
  const { status, text } = await send(harness, path, body, credential)
  return { status, ...JSON.parse(text) }
}
