import { parseJson } from '../gateway/server-message'
import type { Body } from './collect-body'
import { topMembers } from './json-members'
import { WholeBody } from './whole-body'

const usageOption = '"stream_options":{"include_usage":true},'

/** The model that a request names, as far as the body is there; undefined when it was not found. */
export function modelOf(body: Body): string | undefined {
  const [first = nothing, second] = body.kind === 'whole' ? body.chunks : [body.beginning]
  return modelIn(first) ?? (body.kind === 'whole' && second !== undefined ? modelIn(body.bytes()) : undefined)
}

const nothing: Buffer = Buffer.alloc(0)

function modelIn(json: Buffer): string | undefined {
  const model = parseJson(topMembers(json, ['model']).get('model') ?? '')
  return typeof model === 'string' && model !== '' ? model.slice(0, 200) : undefined
}

/**
 * The same body with a request for usage at the end of the stream, put in before the first member; undefined when it is
 * not for a stream, or speaks of `stream_options` itself.
 */
export function withUsageOption(body: WholeBody): WholeBody | undefined {
  if (!body.includesName('stream') || body.includesName('stream_options')) return undefined
  const bytes = body.bytes()
  if (topMembers(bytes, ['stream']).get('stream') !== 'true') return undefined
  const place = bytes.indexOf('{') + 1
  return new WholeBody([bytes.subarray(0, place), Buffer.from(usageOption), bytes.subarray(place)])
}
