import { parseJson } from '../gateway/server-message'
import { topMembers } from './json-members'

const usageOption = '"stream_options":{"include_usage":true},'

// With both its quotes a name cannot be within a text of JSON, where quotes are escaped.
const stream = Buffer.from('"stream"')
const options = Buffer.from('"stream_options"')

/** Where settings usually are: before or behind the messages, which are long. */
const edgeBytes = 4096

/** Looks from the end, which takes half the time. */
const names = (body: Buffer, name: Buffer): boolean =>
  body.subarray(0, edgeBytes).includes(name) || body.lastIndexOf(name) >= 0

/** The model that a request names, as far as the body is there; undefined when it was not found. */
export function modelOf(body: Buffer): string | undefined {
  const model = parseJson(topMembers(body, ['model']).get('model') ?? '')
  return typeof model === 'string' && model !== '' ? model.slice(0, 200) : undefined
}

/**
 * The same body with a request for usage at the end of the stream, put in before the first member; undefined when it is
 * not for a stream, or speaks of `stream_options` itself.
 */
export function withUsageOption(body: Buffer): Buffer | undefined {
  if (!names(body, stream) || names(body, options)) return undefined
  if (topMembers(body, ['stream']).get('stream') !== 'true') return undefined
  const place = body.indexOf('{') + 1
  return Buffer.concat([body.subarray(0, place), Buffer.from(usageOption), body.subarray(place)])
}
