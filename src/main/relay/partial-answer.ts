import type { Standard } from '@shared/contract/common'
import { parseJson } from '../gateway/server-message'
import type { LedgerEntry } from '../usage/entry'
import type { Body } from './buffered-body'
import { type AnswerSample, isJson, type Json, linesOf, member } from './read-answer'

/** Tokens of each text, in their order. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>

/** What came of a stream that ended before it told its usage. */
interface PartialAnswer {
  readonly text: string
  /** How much longer the whole was than what was kept of it: 1, or more. */
  readonly factor: number
}

/** The request and the answer of an exchange that was broken off. */
export interface BrokenOff {
  readonly standard: Standard
  readonly body: Body
  readonly answer: PartialAnswer
}

/** The text that came, as far as it was kept: all of it for some 12 KB of events, of more its beginning and its end. */
export function partialAnswer(sample: AnswerSample, standard: Standard): PartialAnswer {
  const { head, tail, length } = sample
  const deltas = linesOf(sample).map((line) => parseJson(line.slice(5)))
  const texts = standard === 'messages' ? deltas.map(messageText) : deltas.map(chatText)
  return { text: texts.join(''), factor: Math.max(1, length / Math.max(1, head.length + tail.length)) }
}

function messageText(event: unknown): string {
  const delta = member(event, 'delta')
  return ['text', 'thinking', 'partial_json'].map((name) => textIn(delta, name)).join('')
}

function chatText(event: unknown): string {
  return listIn(event, 'choices')
    .map((choice) => member(choice, 'delta'))
    .map((delta) => {
      const calls = listIn(delta, 'tool_calls').map((call) => member(call, 'function'))
      const said = ['reasoning_content', 'reasoning', 'content'].map((name) => textIn(delta, name))
      return [...said, ...calls.flatMap((call) => [textIn(call, 'name'), textIn(call, 'arguments')])].join('')
    })
    .join('')
}

/**
 * The entry with the tokens that nobody told, counted here: the text that had come and, where the stream had not begun with
 * it, the request. The gateway has most likely charged for both; with another tokenizer than o200k it is an estimate.
 */
export async function countHere(entry: LedgerEntry, broken: BrokenOff, count: CountTokens): Promise<LedgerEntry> {
  const request = entry.inputTokens === undefined ? requestTexts(broken) : undefined
  const [said = 0, ...asked] = await count([broken.answer.text, ...(request?.texts ?? [])])
  const outputTokens = entry.outputTokens ?? Math.round(said * broken.answer.factor)
  if (!request) return { ...entry, outputTokens }
  const frames = tokensPerMessage * (request.messages + 1)
  return { ...entry, outputTokens, inputTokens: asked.reduce((sum, tokens) => sum + tokens, frames) }
}

/** What the frame of a message takes in the public chat format of this encoding; the answer's beginning takes as much. */
const tokensPerMessage = 3

/** All texts of a request that is held as a whole. */
function requestTexts({
  body,
}: BrokenOff): { readonly texts: readonly string[]; readonly messages: number } | undefined {
  const request = body.kind === 'whole' ? parseJson(body.bytes().toString()) : undefined
  if (!isJson(request)) return undefined
  const messages = listIn(request, 'messages')
  const { tools, system } = request
  return {
    texts: [
      ...(tools === undefined ? [] : [JSON.stringify(tools)]),
      ...textsOf(system),
      ...messages.flatMap(messageTexts),
    ],
    messages: messages.length,
  }
}

function messageTexts(message: unknown): readonly string[] {
  const calls = member(message, 'tool_calls')
  return [...textsOf(member(message, 'content')), ...(calls === undefined ? [] : [JSON.stringify(calls)])]
}

/** A text, or the texts of parts, which may hold parts themselves (tool results). */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content
    .filter(isJson)
    .flatMap((part: Json) => [
      ...(typeof part.text === 'string' ? [part.text] : []),
      ...(part.input === undefined ? [] : [JSON.stringify(part.input)]),
      ...textsOf(part.content),
    ])
}

const textIn = (value: unknown, name: string): string => {
  const text = member(value, name)
  return typeof text === 'string' ? text : ''
}

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list: unknown = member(value, name)
  return Array.isArray(list) ? list : []
}
