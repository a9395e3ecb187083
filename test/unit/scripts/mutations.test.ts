import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutations } from '../../deep/mutations/mutations.mjs'

const root = join(import.meta.dirname, '../../..')

test('every mutation finds its code exactly once', () => {
  const missingMutations = mutations.filter(
    ({ file, find }) => readFileSync(join(root, file), 'utf8').split(find).length !== 2,
  )
  expect(missingMutations.map(({ file, find }) => [file, find])).toEqual([])
})
