import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countTextTokens } from '../../../../../src/main/gateway/tokens/count-worker'
import { createTokenCounter } from '../../../../../src/main/gateway/tokens/token-counter'
import { createFolderInModules } from '../../../support/folders'

const root = resolve(import.meta.dirname, '../../../../..')
let folder = ''

beforeAll(async () => {
  folder = await createFolderInModules('token-counter')
  await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: resolve(root, 'src/main/gateway/tokens/count-worker.ts'), outDir: folder, target: 'node20' },
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('texts are counted in a worker, each answer matches its question, and again after the worker ended', async () => {
  const counter = createTokenCounter(join(folder, 'count-worker.js'))
  const texts = ['', 'Hello world', 'x'.repeat(5000), '<|endoftext|>', 'Xin chào các bạn']
  const [allCounts, singleCount] = await Promise.all([counter.count(texts), counter.count(['Hello world'])])
  expect([allCounts, singleCount]).toEqual([texts.map(countTextTokens), [2]])
  await counter.end()
  expect(await counter.count(['Hello world'])).toEqual([2])
  const abandonedCountPromise = counter.count(['x'.repeat(200_000)])
  await Promise.all([expect(abandonedCountPromise).rejects.toThrow('ended'), counter.end()])
})

test('a worker that cannot run is reported', async () => {
  const counter = createTokenCounter(join(folder, 'missing.js'))
  await expect(counter.count(['a'])).rejects.toThrow('ended')
})

test('very long words are counted in bounded time', () => {
  expect(countTextTokens('a'.repeat(100_000))).toBeGreaterThan(10_000)
})
