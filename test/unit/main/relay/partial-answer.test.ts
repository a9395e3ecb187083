import { expect, test } from 'vitest'
import { AnswerSampler } from '../../../../src/main/relay/attempt-recorder'
import { type BrokenOff, countHere, partialAnswer } from '../../../../src/main/relay/read-answer'
import type { LedgerEntry } from '../../../../src/main/usage/ports'

type Standard = BrokenOff['standard']

function partOf(text: string, standard: Standard) {
  const sampler = new AnswerSampler()
  for (const piece of text.match(/[\s\S]{1,700}/g) ?? []) sampler.add(Buffer.from(piece))
  const part = partialAnswer(sampler.sample(), standard)
  sampler.release()
  return part
}

const events = (values: readonly unknown[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
const chat = (delta: unknown) => ({ choices: [{ delta }] })
const block = (delta: unknown) => ({ type: 'content_block_delta', delta })

test.each<[Standard, string, string]>([
  ['chat-completions', events([chat({ content: 'Hel' }), chat({ content: 'lo' })]), 'Hello'],
  ['chat-completions', events([chat({ reasoning_content: 'Hm. ' }), chat({ content: 'Yes' })]), 'Hm. Yes'],
  [
    'chat-completions',
    events([chat({ tool_calls: [{ function: { name: 'look', arguments: '{"a"' } }] }), chat({ content: null })]),
    'look{"a"',
  ],
  ['chat-completions', `${events([chat({ content: 'Hel' })])}data: {"choices":[{"delta":{"cont`, 'Hel'],
  ['chat-completions', events([{ choices: 'none' }, 7, null]), ''],
  ['messages', events([block({ thinking: 'Hm. ' }), block({ text: 'Hel' }), block({ text: 'lo' })]), 'Hm. Hello'],
  ['messages', events([{ type: 'ping' }, block({ partial_json: '{"a":1' })]), '{"a":1'],
])('what had come of a %s stream %#', (standard, stream, text) => {
  expect(partOf(stream, standard)).toEqual({ text, factor: 1 })
})

test('of a long answer beginning and end stand for the rest', () => {
  const stream = events(Array.from({ length: 2000 }, () => chat({ content: 'word ' })))
  const { text, factor } = partOf(stream, 'chat-completions')
  const whole = 2000 * 'word '.length
  expect(Math.abs(text.length * factor - whole) / whole).toBeLessThan(0.02)
})

const entry: LedgerEntry = { id: 'relay:1', at: 0, source: 'relay', modelCode: 'm', error: 'aborted' }
const words = async (texts: readonly string[]) => texts.map((text) => text.split(/\s+/).filter(Boolean).length)
const broken = (request: unknown, change: Partial<BrokenOff> = {}): BrokenOff => ({
  standard: 'chat-completions',
  body: Buffer.from(JSON.stringify(request)),
  answer: { text: 'one two three', factor: 1 },
  ...change,
})

test('a request is counted with system, tools, parts and a frame for each message', async () => {
  const messages = [
    { role: 'system', content: 'be kind' },
    { role: 'user', content: [{ type: 'text', text: 'a b c' }, { type: 'image_url' }] },
    { role: 'assistant', content: null, tool_calls: [{ id: '1' }] },
    { role: 'tool', content: [{ content: [{ text: 'd e' }] }] },
  ]
  const counted = await countHere(entry, broken({ messages, tools: [{ name: 'x' }] }), words)
  expect(counted).toEqual({ ...entry, outputTokens: 3, inputTokens: 1 + 2 + 3 + 1 + 2 + 3 * 5 })
})

test('what was told stays, and what cannot be read stays unknown', async () => {
  const told = { ...entry, inputTokens: 40 }
  expect(await countHere(told, broken({ messages: [] }), words)).toEqual({ ...told, outputTokens: 3 })
  const unread = broken({}, { body: Buffer.from('{"messages":[') })
  expect(await countHere(entry, unread, words)).toEqual({ ...entry, outputTokens: 3 })
  const long = broken({}, { answer: { text: 'one two', factor: 2.5 }, body: Buffer.alloc(0) })
  expect(await countHere(entry, long, words)).toEqual({ ...entry, outputTokens: 5 })
})
