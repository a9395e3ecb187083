import type { MethodOutput } from '@shared/contract'
import { act, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { useRun } from '../../../../../src/renderer/features/playground/runs-store'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildRun } from './compare/comparison'

type Snapshot = MethodOutput<'playground.run'>

const snapshot = (id: string, text: string): Snapshot => ({
  run: buildRun({ id, state: 'running' }),
  answer: { text },
})

const chunk = (at: number, piece: string) => ({ text: { at, piece } })

const renderedTexts: string[] = []

function AnswerOfRun({ id }: { readonly id: string }) {
  const liveRun = useRun(id)
  renderedTexts.push(id)
  return <p data-testid={id}>{liveRun?.answer.text ?? 'unknown'}</p>
}

describe('useRun', () => {
  it('loads each visible run once, follows it, and renders only changed ones', async () => {
    const fakeMain = installMain({ 'playground.run': ({ runId }) => snapshot(runId, `${runId}:`) })
    await renderInApp(
      <>
        <AnswerOfRun id="a" />
        <AnswerOfRun id="b" />
        <AnswerOfRun id="a" />
      </>,
    )
    await waitFor(() => expect(screen.getByTestId('b').textContent).toBe('b:'))
    expect(fakeMain.askedFor('playground.run')).toEqual([{ runId: 'a' }, { runId: 'b' }])
    renderedTexts.length = 0
    act(() => fakeMain.tell('playground.progress', { news: [{ runId: 'b', text: { at: 2, piece: ' more' } }] }))
    await waitFor(() => expect(screen.getByTestId('b').textContent).toBe('b: more'))
    expect(renderedTexts).toEqual(['b'])
  })

  it.each([
    ['that overlap', ['Hello'], [chunk(5, ', world'), chunk(3, 'lo, wor'), chunk(12, '!')], 'Hello, world!'],
    ['after missed ones', ['Hello', 'Hello, 12'], [chunk(9, 'x'), chunk(10, 'y')], 'Hello, 12xy'],
  ])('shows the full text with chunks %s', async (id, loadedTexts, news, text) => {
    const fakeMain = installMain({ 'playground.run': () => snapshot(id, loadedTexts.shift() ?? '') })
    await renderInApp(<AnswerOfRun id={id} />)
    await waitFor(() => expect(screen.getByTestId(id).textContent).toBe('Hello'))
    act(() => fakeMain.tell('playground.progress', { news: news.map((progress) => ({ ...progress, runId: id })) }))
    await waitFor(() => expect(screen.getByTestId(id).textContent).toBe(text))
  })

  it('ignores chunks that the loaded text already contains', async () => {
    let load = (_: Snapshot): void => undefined
    const loadedRun = new Promise<Snapshot>((resolve) => {
      load = resolve
    })
    const fakeMain = installMain({ 'playground.run': () => loadedRun })
    await renderInApp(<AnswerOfRun id="d" />)
    act(() => fakeMain.tell('playground.progress', { news: [{ ...chunk(0, 'Hello'), runId: 'd' }] }))
    load(snapshot('d', 'Hello, you'))
    await waitFor(() => expect(screen.getByTestId('d').textContent).toBe('Hello, you'))
  })

  it('separates reasoning and tool calls from the text', async () => {
    const toolCalls = [{ id: 'c1', name: 'look', input: '{}' }]
    const fakeMain = installMain({ 'playground.run': () => snapshot('e', 'Hi') })
    const { queries } = await renderInApp(<AnswerOfRun id="e" />)
    await waitFor(() => expect(screen.getByTestId('e').textContent).toBe('Hi'))
    act(() =>
      fakeMain.tell('playground.progress', {
        news: [
          { runId: 'e', thinking: { at: 0, piece: 'Hm' } },
          { runId: 'e', thinking: { at: 2, piece: '…' }, toolCalls },
        ],
      }),
    )
    const answer = { text: 'Hi', thinking: 'Hm…', toolCalls }
    expect(queries.getQueryData(['run', 'e'])).toMatchObject({ answer })
  })
})
