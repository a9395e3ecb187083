import { Refused } from '../http/refused'
import type { StandardName } from './standard'

type Advice = (gatewayUrl: string) => string

const served = /^\/v1\/(?:chat\/completions|messages(?:\/count_tokens)?)$/

/** What to do about a path that is not served, by the first pattern that fits. */
const advice: readonly (readonly [RegExp, Advice])[] = [
  [served, () => 'this path takes POST requests'],
  [
    /\/v1\/v1\/chat\/completions\/?$/,
    (url) => `for this standard set the base address to ${url}/v1, or to ${url} if the tool adds /v1 itself`,
  ],
  [/\/chat\/completions\/?$/, (url) => `for this standard set the base address to ${url}/v1`],
  [/\/v1\/messages(?:\/count_tokens)?\/?$/, (url) => `for this standard set the base address to ${url}`],
  [/\/messages(?:\/count_tokens)?\/?$/, (url) => `this tool adds only /messages, so set its base address to ${url}/v1`],
  [/\/responses\/?$/, (url) => `the Responses API is not served; use chat-completions with the base address ${url}/v1`],
  [/\/embeddings\/?$/, () => 'the gateway of a plan serves no embeddings; the inference API of the platform does'],
  [/\/models\/?$/, () => 'there is no model list; name a model code of the plan'],
]

const overall: Advice = (url) =>
  `set the base address to ${url}/v1 for a chat-completions tool, or to ${url} for a tool of the messages standard`

/** The standard that a request outside the served paths seems to follow, if any. */
export function guessStandard(path: string, headers: NodeJS.Dict<string | string[]>): StandardName | undefined {
  if (/\/messages(\/|$)/.test(path) || headers['anthropic-version'] !== undefined) return 'messages'
  return /\/(chat\/)?completions\/?$/.test(path) ? 'chat-completions' : undefined
}

/** The 404 whose message tools print as it is: what was asked for, and the address to set (spec, "Errors", A). */
export function wrongPath(asked: { method: string; path: string; gatewayUrl: string }): Refused {
  const line = advice.find(([pattern]) => pattern.test(asked.path))?.[1] ?? overall
  const message = `You asked for ${asked.method} ${asked.path.slice(0, 200)}; ${line(asked.gatewayUrl)}`
  return new Refused({ status: 404, code: 'not_found', message })
}
