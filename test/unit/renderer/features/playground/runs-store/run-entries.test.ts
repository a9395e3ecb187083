import type { MethodOutput, PlaygroundProgress, PlaygroundRun } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { applyProgressEvent, withSnapshot } from '../../../../../../src/renderer/features/playground/runs-store'

type RunEntry = Parameters<typeof applyProgressEvent>[0]

type Snapshot = MethodOutput<'playground.runs'>[number]

const run = (overrides: Partial<PlaygroundRun> = {}): PlaygroundRun => ({
  id: 'r1',
  kind: 'chat',
  target: { kind: 'plan', planId: 'p1', standard: 'messages', modelCode: 'aurora-large' },
  state: 'running',
  startedAt: '2026-11-22T00:00:00.000Z',
  requestAddress: 'https://gateway.example.com/v1/messages',
  isStream: true,
  ...overrides,
})

const snapshot = (text: string, overrides: Partial<PlaygroundRun> = {}): Snapshot => ({
  run: run(overrides),
  answer: { text },
})
const entry = (text: string): RunEntry => ({ live: snapshot(text), pending: [], isBehind: false })
const buildTextEvent = (at: number, text: string): PlaygroundProgress => ({ runId: 'r1', text: { at, piece: text } })

describe('the progress of a run', () => {
  it('is the same however its chunks overlap', () => {
    const entryAfter = [buildTextEvent(5, ', world'), buildTextEvent(3, 'lo, wor'), buildTextEvent(12, '!')].reduce(
      applyProgressEvent,
      entry('Hello'),
    )
    expect(entryAfter).toMatchObject({ live: { answer: { text: 'Hello, world!' } }, isBehind: false, pending: [] })
  })

  it('waits for the full text when a chunk is missing, and appends later ones', () => {
    const laggingEntry = [buildTextEvent(9, 'x'), buildTextEvent(10, 'y')].reduce(applyProgressEvent, entry('Hello'))
    expect(laggingEntry).toMatchObject({ live: { answer: { text: 'Hello' } }, isBehind: true })
    expect(withSnapshot(laggingEntry, snapshot('Hello, 12'))).toMatchObject({
      live: { answer: { text: 'Hello, 12xy' } },
      isBehind: false,
      pending: [],
    })
  })

  it('ignores chunks already in the full text', () => {
    const laggingEntry = applyProgressEvent({ pending: [], isBehind: true }, buildTextEvent(0, 'Hello'))
    expect(withSnapshot(laggingEntry, snapshot('Hello, you')).live?.answer.text).toBe('Hello, you')
  })

  it('separates reasoning and tool calls from the text', () => {
    const call = { id: 'c1', name: 'look', input: '{}' }
    const entryAfter = [
      { runId: 'r1', thinking: { at: 0, piece: 'Hm' } },
      { runId: 'r1', thinking: { at: 2, piece: '…' }, toolCalls: [call] },
    ].reduce(applyProgressEvent, entry('Hi'))
    expect(entryAfter.live?.answer).toEqual({ text: 'Hi', thinking: 'Hm…', toolCalls: [call] })
  })
})
