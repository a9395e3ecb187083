import type { Standard } from '@shared/contract/common'
import { parseJson } from '../gateway/server-message'
import type { LedgerEntry } from '../usage/ports'
import type { CountTokens } from './ports'
import { endOfValue, topMembers } from './top-members'

/** What came of a stream that ended before it told its usage. */
interface PartialAnswer {
  readonly text: string
  /** How much longer the whole was than what was kept of it: 1, or more. */
  readonly factor: number
}

/** The request and the answer of an exchange that was broken off. */
export interface BrokenOff {
  readonly standard: Standard
  readonly body: Buffer
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
  const request = parseJson(body.toString())
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

/** The beginning and the end of an answer: all of it when it is short. */
export interface AnswerSample {
  readonly head: Buffer
  /** What came last; begins somewhere in the middle, unless `isWhole`. */
  readonly tail: Buffer
  /** Whether head and tail together are the answer. */
  readonly isWhole: boolean
  /** Of the answer, in bytes. */
  readonly length: number
}

/** Tokens as the ledger counts them: what came from the cache is not input. */
type Tokens = Pick<LedgerEntry, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>

/** What an answer says about itself. */
export interface AnswerFacts extends Tokens {
  readonly answerId?: string | undefined
  readonly modelCode?: string | undefined
  /** An error that came after the head, as JSON: the status could not tell it any more. */
  readonly lateError?: string | undefined
}

/** A JSON object of which nothing is known; every answer passes here, so that no schema is built for it. */
type Json = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of a JSON object; undefined of anything else. */
function member(value: unknown, name: string): unknown {
  return isJson(value) ? value[name] : undefined
}

function countOf(value: unknown, name: string): number | undefined {
  const count = member(value, name)
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

function textOf(value: unknown, name: string): string | undefined {
  const text = member(value, name)
  return typeof text === 'string' && text !== '' && text.length <= 200 ? text : undefined
}

const usageOf = (value: unknown): Json | undefined => {
  const usage = member(value, 'usage')
  return isJson(usage) ? usage : undefined
}

/** Reads ids and usage (decisions 4) of a whole answer or of a stream, in either standard. */
export function readAnswer(sample: AnswerSample, standard: Standard, isStream: boolean): AnswerFacts {
  const events = isStream ? eventsOf(sample) : [plainAnswer(sample)]
  const [first] = events
  const message = member(first, 'message')
  const lateError = isStream ? events.map((event) => member(event, 'error')).findLast(isJson) : undefined
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } =
    standard === 'messages' ? messageTokens(events) : chatTokens(events)
  return {
    answerId: textOf(message, 'id') ?? textOf(first, 'id'),
    modelCode: textOf(message, 'model') ?? textOf(first, 'model'),
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    lateError: lateError === undefined ? undefined : JSON.stringify({ error: lateError }),
  }
}

/** Usage comes at the end, or in every event as far as it went: the last one counts. */
function chatTokens(events: readonly unknown[]): Tokens {
  const usage = usageOf(events.findLast((event) => usageOf(event) !== undefined))
  const cacheReadTokens = countOf(member(usage, 'prompt_tokens_details'), 'cached_tokens')
  const prompt = countOf(usage, 'prompt_tokens')
  return {
    inputTokens: prompt === undefined ? undefined : Math.max(0, prompt - (cacheReadTokens ?? 0)),
    outputTokens: countOf(usage, 'completion_tokens'),
    cacheReadTokens,
  }
}

/** Input is told in the first event and output in the last; what comes twice is the sum so far, so that the most counts. */
function messageTokens(events: readonly unknown[]): Tokens {
  const ends = events.map(usageOf)
  const all = [...events.map((event) => usageOf(member(event, 'message'))), ...ends]
  return {
    inputTokens: mostOf(all, 'input_tokens'),
    // The first event names an output as well, of an answer that has only begun.
    outputTokens: mostOf(ends, 'output_tokens'),
    cacheReadTokens: mostOf(all, 'cache_read_input_tokens'),
    cacheWriteTokens: mostOf(all, 'cache_creation_input_tokens'),
  }
}

function mostOf(usages: readonly (Json | undefined)[], name: string): number | undefined {
  const counts = usages.map((usage) => countOf(usage, name)).filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : Math.max(...counts)
}

const interesting = /"(?:usage|error)"\s*:\s*\{/

/** The first event, for its ids, and those that speak of usage or an error. A name with both quotes is in no text. */
function eventsOf(sample: AnswerSample): readonly unknown[] {
  const data = linesOf(sample)
  return data.filter((line, place) => place === 0 || interesting.test(line)).map((line) => parseJson(line.slice(5)))
}

/** The lines of events that hold data; the first and the last of a long answer may be broken. */
function linesOf({ head, tail, isWhole }: AnswerSample): readonly string[] {
  const text = isWhole ? joined(head, tail) : `${head.toString()}\n${tail.toString()}`
  return text.split(/[\r\n]+/).filter((line) => line.startsWith('data:'))
}

/** A short answer as it is; of a long one what stands at the top of its beginning and its end. */
function plainAnswer({ head, tail, isWhole }: AnswerSample): unknown {
  if (isWhole) return parseJson(joined(head, tail))
  const members = topMembers(head, ['id', 'model', 'usage'])
  const value = (name: string) => parseJson(members.get(name) ?? '')
  return { id: value('id'), model: value('model'), usage: value('usage') ?? usageAtEnd(tail) }
}

const joined = (head: Buffer, tail: Buffer): string =>
  (tail.length === 0 ? head : Buffer.concat([head, tail])).toString()

/** The last usage, when nothing but the answer's own end is behind it: within the answer it would be somebody's text. */
function usageAtEnd(tail: Buffer): unknown {
  const name = tail.lastIndexOf('"usage"')
  const start = name < 0 ? -1 : tail.indexOf('{', name)
  const end = start < 0 ? -1 : endOfValue(tail, start)
  if (end < 0) return undefined
  // As the rest of an object whose one member is the usage: it must end where the answer ends.
  const rest = Buffer.concat([Buffer.from('{"usage":0'), tail.subarray(end)])
  const isTop = endOfValue(rest, 0) === rest.toString('latin1').trimEnd().length
  return isTop ? parseJson(tail.toString('utf8', start, end)) : undefined
}

const blankLine = /\r\n\r\n|\n\n|\r\r/g
const noChoices = /"choices"\s*:\s*\[\s*\]/

/** More than this of one event is not waited for. */
const longestEventBytes = 256 * 1024

const isUsageEvent = (event: string): boolean => noChoices.test(event) && /"usage"\s*:\s*\{/.test(event)

/**
 * Takes the event with nothing but usage out of a chat-completions stream, for a tool that did not ask for it. Whole
 * events pass in the chunks they came in; the beginning of one waits for its end, since no tool can use it before.
 */
export class UsageEventRemoval {
  #begun: Buffer = Buffer.alloc(0)
  #isOver = false

  /** What of all that came so far may go on now; maybe nothing. */
  push(chunk: Buffer): Buffer {
    if (this.#isOver) return chunk
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const text = bytes.toString('latin1')
    const end = endOfLastEvent(text)
    this.#begun = bytes.subarray(end)
    if (this.#begun.length > longestEventBytes) return this.#giveUp(bytes)
    const whole = text.slice(0, end)
    if (!noChoices.test(whole)) return bytes.subarray(0, end)
    return Buffer.from(
      splitEvents(whole)
        .filter((event) => !isUsageEvent(event))
        .join(''),
      'latin1',
    )
  }

  /** What is left when the stream has ended. */
  rest(): Buffer {
    return isUsageEvent(this.#begun.toString('latin1')) ? Buffer.alloc(0) : this.#begun
  }

  #giveUp(bytes: Buffer): Buffer {
    this.#isOver = true
    this.#begun = Buffer.alloc(0)
    return bytes
  }
}

function endOfLastEvent(text: string): number {
  let end = 0
  for (const { index, 0: mark } of text.matchAll(blankLine)) end = index + mark.length
  return end
}

function splitEvents(text: string): readonly string[] {
  const ends = [...text.matchAll(blankLine)].map(({ index, 0: mark }) => index + mark.length)
  return ends.map((end, place) => text.slice(ends[place - 1] ?? 0, end))
}
