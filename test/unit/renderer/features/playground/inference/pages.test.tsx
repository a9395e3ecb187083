import type { PlaygroundRun, PlaygroundTarget } from '@shared/contract'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import {
  CompletionPage,
  EmbeddingsPage,
  useCompletion,
  useEmbeddings,
} from '../../../../../../src/renderer/features/playground/inference/inference-pages'
import { installMain, renderInApp } from '../../../support/fake-main'
import { buildRun } from '../compare/comparison'

const target: PlaygroundTarget = {
  kind: 'local',
  url: 'http://127.0.0.1:11434/v1',
  standard: 'chat-completions',
  modelCode: 'small',
}
const run = (overrides: Partial<PlaygroundRun> = {}): PlaygroundRun =>
  buildRun({ kind: 'completion', target, state: 'running', ...overrides })
const commonMethods = {
  'plans.list': () => [],
  'playground.connections': () => [],
  'playground.saveDraft': () => ({}),
  'playground.draft': () => ({ text: '', attachments: [] }),
  'playground.stop': () => ({}),
}

beforeEach(() => {
  useCompletion.setState({ target, parameters: { temperature: 0.5 }, shown: undefined })
  useEmbeddings.setState({ target, shown: undefined })
})

test('a completion is appended to its prompt, can be stopped, and continued', async () => {
  const fakeMain = installMain({
    ...commonMethods,
    'playground.complete': () => run(),
    'playground.run': () => ({ run: run(), answer: { text: ' there was' } }),
  })
  await renderInApp(<CompletionPage />)
  const field = screen.getByRole('textbox', { name: 'Text' })
  expect(screen.getByRole('button', { name: 'Complete' })).toHaveProperty('disabled', true)
  fireEvent.change(field, { target: { value: 'Once' } })
  fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
  const result = await screen.findByRole('region', { name: 'Completion' })
  expect(fakeMain.askedFor('playground.complete')).toEqual([
    { target, prompt: 'Once', parameters: { temperature: 0.5 } },
  ])
  await waitFor(() => expect(result.textContent).toContain('Once there was'))
  fakeMain.tell('playground.progress', { news: [{ runId: 'run-1', text: { at: 10, piece: ' a key' } }] })
  await waitFor(() => expect(result.textContent).toContain('Once there was a key'))
  expect(result.querySelector('ins')?.textContent).toBe(' there was a key')
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }))
  await fakeMain.waitForCalls('playground.stop', [{ runIds: ['run-1'] }])
  fakeMain.tell('playground.progress', { news: [{ runId: 'run-1', run: run({ state: 'stopped' }) }] })
  fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
  expect(field).toHaveProperty('value', 'Once there was a key')
  const savedDraft = { key: 'completion', draft: { text: 'Once there was a key', attachments: [] } }
  await waitFor(() => expect(fakeMain.askedFor('playground.saveDraft')).toContainEqual(savedDraft))
})

test('a completion that cannot be sent shows the reason', async () => {
  installMain({ ...commonMethods, 'playground.complete': () => ({ code: 'net.refused', message: 'Nobody there.' }) })
  await renderInApp(<CompletionPage />)
  fireEvent.change(screen.getByRole('textbox', { name: 'Text' }), { target: { value: 'x' } })
  fireEvent.click(screen.getByRole('button', { name: 'Complete' }))
  expect(await screen.findByRole('alert')).toBeTruthy()
})

test('embeddings show each vector and their similarity, and mark changed texts', async () => {
  const fakeMain = installMain({
    ...commonMethods,
    'app.copyText': () => ({}),
    'playground.embed': ({ inputs }) => ({
      run: run({ kind: 'embeddings', state: 'done', isStream: false }),
      embeddings: inputs.map(() => ({ preview: [0.6, -0.8, 0, 0.1], dimensions: 1536, norm: 1 })),
      similarity: inputs.map((_, row) => inputs.map((__, column) => (row === column ? 1 : 0.25))),
    }),
  })
  await renderInApp(<EmbeddingsPage />)
  fireEvent.paste(screen.getByRole('textbox', { name: 'Text 1' }), {
    clipboardData: { getData: () => 'red\ngreen\n=1+1\n' },
  })
  fireEvent.click(screen.getByRole('button', { name: 'Remove text 2' }))
  fireEvent.click(screen.getByRole('button', { name: 'Embed 2 texts' }))
  const similarityTable = await screen.findByRole('table', { name: 'Cosine similarity' })
  expect(fakeMain.askedFor('playground.embed')).toMatchObject([{ target, inputs: ['red', '=1+1'] }])
  const cellTexts = within(similarityTable)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)
  expect(cellTexts).toEqual(['', '1.000', '0.250', '0.250', '1.000'])
  expect(within(similarityTable).getByRole('rowheader', { name: '2 =1+1' })).toBeTruthy()
  expect(screen.getByRole('table', { name: 'Vectors' }).textContent).toContain('1,5361.0000')
  fireEvent.click(screen.getByRole('button', { name: 'Copy as CSV' }))
  await waitFor(() =>
    // Values that a spreadsheet would run as formulas are quoted.
    expect(fakeMain.askedFor('app.copyText')).toEqual([{ text: `,red,"'=1+1"\r\nred,1,0.25\r\n"'=1+1",0.25,1` }]),
  )
  fireEvent.click(screen.getByRole('button', { name: 'Copy as JSON' }))
  const copiedJson = await waitFor(() => Object(fakeMain.askedFor('app.copyText')[1]).text)
  expect(JSON.parse(copiedJson)).toMatchObject({ model: 'small', embeddings: [{ input: 'red', dimensions: 1536 }, {}] })
  expect(screen.queryByText(/the texts changed after this run/)).toBeNull()
  fireEvent.change(screen.getByRole('textbox', { name: 'Text 2' }), { target: { value: 'sky' } })
  expect(screen.getByText(/the texts changed after this run/)).toBeTruthy()
})
