import { expect, test } from 'vitest'
import { toCsv, toJson } from '../../../../../../src/renderer/features/playground/inference/embeddings-page'

test('are copied with their figures, without spreadsheet formulas', () => {
  const embeddingView = {
    inputs: ['one', '=1+1'],
    run: {
      id: 'r',
      kind: 'embeddings',
      target: { kind: 'local', url: 'http://127.0.0.1:1/v1', standard: 'chat-completions', modelCode: 'small' },
      state: 'done',
      startedAt: '2026-11-21T08:00:00.000Z',
      requestAddress: 'http://127.0.0.1:1/v1/embeddings',
      isStream: false,
    },
    embeddings: [
      { preview: [0.6, 0.8], dimensions: 2, norm: 1 },
      { preview: [1, 0], dimensions: 2, norm: 1 },
    ],
    similarity: [
      [1, -0.6],
      [-0.6, 1],
    ],
  } as const
  const copiedView = {
    ...embeddingView,
    embeddings: embeddingView.embeddings.map((embedding) => ({ ...embedding, preview: [...embedding.preview] })),
  }
  const value = { ...copiedView, similarity: embeddingView.similarity.map((row) => [...row]) }
  expect(toCsv(value).split('\r\n')).toEqual([',one,"\'=1+1"', 'one,1,-0.6', '"\'=1+1",-0.6,1'])
  expect(JSON.parse(toJson(value))).toMatchObject({ model: 'small', embeddings: [{ input: 'one', dimensions: 2 }, {}] })
})
