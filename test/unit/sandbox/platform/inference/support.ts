import { type Harness, type Json, type RawAnswer, rawRequest } from '../../support'

export async function send(harness: Harness, path: string, body: object, credential?: string): Promise<RawAnswer> {
  const authorization = `Bearer ${credential ?? (await harness.token())}`
  const url = `${harness.platformUrl}/inference/v1${path}`
  return rawRequest(url, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
}

/** The parsed response of a successful call. */
export async function fetchAnswer(harness: Harness, path: string, body: object): Promise<Json> {
  const { status, text } = await send(harness, path, body)
  if (status !== 200) throw new Error(`refused: ${status} ${text}`)
  return JSON.parse(text)
}

/** The error of a refused call, with its status. */
export async function catchRefusal(harness: Harness, path: string, body: object, credential?: string): Promise<Json> {
  const { status, text } = await send(harness, path, body, credential)
  return { status, ...JSON.parse(text) }
}
