import { parseJson } from '../gateway/server-message'
import type { Body } from './collect-body'
import { topMembers } from './json-members'
import { WholeBody } from './whole-body'

const usageOption = '"stream_options":{"include_usage":true},'

/** The model that a request names, as far as the body is there; undefined when it was not found. */
export function modelOf(body: Body): string | undefined {
  if (body.kind === 'passing') return modelIn(body.beginning)
  const first = body.chunks[0]
  return first && (modelIn(first) ?? (body.chunks.length > 1 ? modelIn(body.bytes()) : undefined))
}

/** How nearly every tool begins: nothing in the name has to be read as JSON. */
const usualBeginning = /^\{"model":"([\w./:@-]{1,100})"/
const mostUsual = 120

function modelIn(json: Buffer): string | undefined {
  const text = json.toString('latin1', 0, mostUsual)
  const usual = usualBeginning.exec(text)?.[1]
  if (usual !== undefined) return usual
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
