import type { MethodOutput } from '@shared/contract'
import { act, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { useRun } from '../../../../../src/renderer/features/playground/runs-store'
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
