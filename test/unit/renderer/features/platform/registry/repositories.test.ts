import { expect, it } from 'vitest'
import { shellWord } from '../../../../../../src/renderer/features/platform/registry/repositories'

it.each([
  ['plain-1.0:x/y@z', 'plain-1.0:x/y@z'],
  ['two words', "'two words'"],
  ['a; rm -rf /', "'a; rm -rf /'"],
  ["it's", "'it'\\''s'"],
  ['$(id)', "'$(id)'"],
  ['', "''"],
])('a word %s cannot become a command', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted)
})
