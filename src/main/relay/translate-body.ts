import type { Body } from './collect-body'
import { type AnswerHead, withoutHeaders } from './headers'
import type { RelayLimits } from './limits'
import type { Refusal } from './refusals'
import type { Translated } from './responses/translation'
import type { Route } from './target'
import { WholeBody } from './whole-body'

/** What a path takes: a request that is translated has to be there as a whole. */
export function limitsOf({ translation }: Route, limits: RelayLimits): RelayLimits {
  if (translation === undefined) return limits
  const bytes = Math.min(limits.bodyBytes, translation.longestBody)
  return { ...limits, bodyBytes: bytes, keptBytes: bytes }
}

/** Why a request is longer than its path takes. */
export function tooLarge({ standard, translation }: Route, { bodyBytes }: RelayLimits): Refusal {
  const megabytes = Math.round(bodyBytes / 1024 / 1024)
  const detail = `The request is larger than Platform Companion's relay translates (${megabytes} MB).`
  return { name: 'tooLarge', standard, detail: translation === undefined ? undefined : detail }
}

/** A body as the gateway is to get it. */
export interface ReadyBody {
  readonly body: Body
  readonly translated: Translated | undefined
}

/** The body in the gateway's protocol, or why it cannot be. */
export function readyBody(body: Body, route: Route, limits: RelayLimits): ReadyBody | Refusal {
  const { standard, translation } = route
  if (translation === undefined) return { body, translated: undefined }
  if (body.kind === 'passing') {
    return body.beginning.length > limits.keptBytes ? tooLarge(route, limits) : { name: 'busy', standard }
  }
  const said = translation.translate(body.bytes())
  if ('refusal' in said) return { name: 'untranslatable', standard, detail: said.refusal }
  return { body: new WholeBody([said.body]), translated: said }
}

const ofBody = new Set(['content-type', 'content-length', 'content-encoding'])

/** Names and values in turn: the head of an answer whose body was translated. */
export function translatedHead({ forwarded }: AnswerHead, contentType: string): string[] {
  return ['content-type', contentType, ...withoutHeaders(forwarded, ofBody)]
}
