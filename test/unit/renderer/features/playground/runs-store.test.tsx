import type { MethodOutput, PlaygroundProgress } from '@shared/contract'
import { act, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { applyProgressEvent, useRun, withSnapshot } from '../../../../../src/renderer/features/playground/runs-store'
import { installMain, renderInApp } from '../../support/fake-main'

type Snapshot = MethodOutput<'playground.runs'>[number]

const snapshot = (id: string, text: string): Snapshot => ({
  run: {
    id,
    kind: 'chat',
    target: { kind: 'plan', planId: 'p1', standard: 'chat-completions', modelCode: 'aurora-large' },
    state: 'running',
    startedAt: '2026-11-22T00:00:00.000Z',
    requestAddress: 'https://gateway.example.com/v1/chat/completions',
    isStream: true,
  },
  answer: { text },
})

const renderedTexts: string[] = []

function AnswerOfRun({ id }: { readonly id: string }) {
  const liveRun = useRun(id)
  renderedTexts.push(id)
  return <p data-testid={id}>{liveRun?.answer.text ?? 'unknown'}</p>
}

describe('useRun', () => {
  it('loads all visible runs in one call, follows each, and renders only changed ones', async () => {
    const fakeMain = installMain({ 'playground.runs': ({ ids }) => ids.map((id) => snapshot(id, `${id}:`)) })
    await renderInApp(
      <>
        <AnswerOfRun id="a" />
        <AnswerOfRun id="b" />
        <AnswerOfRun id="a" />
      </>,
    )
    await waitFor(() => expect(screen.getByTestId('b').textContent).toBe('b:'))
    expect(fakeMain.askedFor('playground.runs')).toEqual([{ ids: ['a', 'b'] }])
    renderedTexts.length = 0
    act(() => fakeMain.tell('playground.progress', { news: [{ runId: 'b', text: { at: 2, piece: ' more' } }] }))
    await waitFor(() => expect(screen.getByTestId('b').textContent).toBe('b: more'))
    expect(renderedTexts).toEqual(['b'])
  })

  it('reloads a run after missed events', async () => {
    const texts = ['one', 'one two three']
    const fakeMain = installMain({ 'playground.runs': ({ ids }) => ids.map((id) => snapshot(id, texts.shift() ?? '')) })
    await renderInApp(<AnswerOfRun id="c" />)
    await waitFor(() => expect(screen.getByTestId('c').textContent).toBe('one'))
    act(() => fakeMain.tell('playground.progress', { news: [{ runId: 'c', text: { at: 13, piece: ' four' } }] }))
    await waitFor(() => expect(screen.getByTestId('c').textContent).toBe('one two three four'))
  })
})

describe('the progress of a run', () => {
  const entry = (text: string) => ({ live: snapshot('r1', text), pending: [], isBehind: false })
  const buildTextEvent = (at: number, text: string): PlaygroundProgress => ({ runId: 'r1', text: { at, piece: text } })
  const applyAll = (text: string, news: readonly PlaygroundProgress[]) =>
    news.reduce<Parameters<typeof applyProgressEvent>[0]>(applyProgressEvent, entry(text))

  it('is the same however its chunks overlap', () => {
    const entryAfter = applyAll('Hello', [
      buildTextEvent(5, ', world'),
      buildTextEvent(3, 'lo, wor'),
      buildTextEvent(12, '!'),
    ])
    expect(entryAfter).toMatchObject({ live: { answer: { text: 'Hello, world!' } }, isBehind: false, pending: [] })
  })

  it('waits for the full text when a chunk is missing, and appends later ones', () => {
    const laggingEntry = applyAll('Hello', [buildTextEvent(9, 'x'), buildTextEvent(10, 'y')])
    expect(laggingEntry).toMatchObject({ live: { answer: { text: 'Hello' } }, isBehind: true })
    const complete = { live: { answer: { text: 'Hello, 12xy' } }, isBehind: false, pending: [] }
    expect(withSnapshot(laggingEntry, snapshot('r1', 'Hello, 12'))).toMatchObject(complete)
  })

  it('ignores chunks already in the full text', () => {
    const laggingEntry = applyProgressEvent({ pending: [], isBehind: true }, buildTextEvent(0, 'Hello'))
    expect(withSnapshot(laggingEntry, snapshot('r1', 'Hello, you')).live?.answer.text).toBe('Hello, you')
  })

  it('separates reasoning and tool calls from the text', () => {
    const call = { id: 'c1', name: 'look', input: '{}' }
    const thinking = { runId: 'r1', thinking: { at: 0, piece: 'Hm' } }
    const { live } = applyAll('Hi', [thinking, { runId: 'r1', thinking: { at: 2, piece: '…' }, toolCalls: [call] }])
    expect(live?.answer).toEqual({ text: 'Hi', thinking: 'Hm…', toolCalls: [call] })
  })
})
