import type { MethodOutput, PlaygroundProgress, PlaygroundRun } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { withNews, withPiece, withSnapshot } from '../../../../../../src/renderer/features/playground/runs-store'

type RunEntry = Parameters<typeof withNews>[0]

type Snapshot = MethodOutput<'playground.runs'>[number]

const run = (over: Partial<PlaygroundRun> = {}): PlaygroundRun => ({
  id: 'r1',
  kind: 'chat',
  target: { kind: 'plan', planId: 'p1', standard: 'messages', modelCode: 'aurora-large' },
  state: 'running',
  startedAt: '2026-11-22T00:00:00.000Z',
  requestAddress: 'https://gateway.example.com/v1/messages',
  isStream: true,
  ...over,
})

const snapshot = (text: string, over: Partial<PlaygroundRun> = {}): Snapshot => ({ run: run(over), answer: { text } })
const entry = (text: string): RunEntry => ({ live: snapshot(text), pending: [], isBehind: false })
const piece = (at: number, text: string): PlaygroundProgress => ({ runId: 'r1', text: { at, piece: text } })

describe('a chunk of an answer', () => {
  it.each([
    ['follows on', 'Hello', 5, ', you', 'Hello, you'],
    ['is there already', 'Hello, you', 2, 'llo', 'Hello, you'],
    ['is there in part', 'Hello,', 3, 'lo, you', 'Hello, you'],
    ['is the first', '', 0, 'H', 'H'],
    ['is empty at the end', 'Hello', 5, '', 'Hello'],
    ['leaves a gap', 'Hello', 6, 'you', undefined],
  ])('that %s returns the text it belongs to', (_, text, at, added, expected) => {
    expect(withPiece(text, { at, piece: added })).toBe(expected)
  })
})

describe('the progress of a run', () => {
  it('is the same however its chunks overlap', () => {
    const after = [piece(5, ', world'), piece(3, 'lo, wor'), piece(12, '!')].reduce(withNews, entry('Hello'))
    expect(after).toMatchObject({ live: { answer: { text: 'Hello, world!' } }, isBehind: false, pending: [] })
  })

  it('waits for the full text when a chunk is missing, and appends later ones', () => {
    const behind = [piece(9, 'x'), piece(10, 'y')].reduce(withNews, entry('Hello'))
    expect(behind).toMatchObject({ live: { answer: { text: 'Hello' } }, isBehind: true })
    expect(withSnapshot(behind, snapshot('Hello, 12'))).toMatchObject({
      live: { answer: { text: 'Hello, 12xy' } },
      isBehind: false,
      pending: [],
    })
  })

  it('ignores chunks already in the full text', () => {
    const behind = withNews({ pending: [], isBehind: true }, piece(0, 'Hello'))
    expect(withSnapshot(behind, snapshot('Hello, you')).live?.answer.text).toBe('Hello, you')
  })

  it('separates reasoning and tool calls from the text', () => {
    const call = { id: 'c1', name: 'look', input: '{}' }
    const after = [
      { runId: 'r1', thinking: { at: 0, piece: 'Hm' } },
      { runId: 'r1', thinking: { at: 2, piece: '…' }, toolCalls: [call] },
    ].reduce(withNews, entry('Hi'))
    expect(after.live?.answer).toEqual({ text: 'Hi', thinking: 'Hm…', toolCalls: [call] })
  })

  it('stays finished', () => {
    const ended = withNews(entry('Hi'), { runId: 'r1', run: run({ state: 'stopped' }) })
    expect(withNews(ended, { runId: 'r1', run: run() }).live?.run.state).toBe('stopped')
    const behind = withNews({ pending: [], isBehind: true }, { runId: 'r1', run: run() })
    expect(withSnapshot(behind, snapshot('Hi', { state: 'done' })).live?.run.state).toBe('done')
  })
})
