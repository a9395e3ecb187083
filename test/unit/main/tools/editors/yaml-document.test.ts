import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { readLines } from '../../../../../src/main/tools/editors/yaml-document'
import { buildYamlParts } from '../../../../../src/main/tools/editors/yaml-node'
import { getRounds } from '../../../../support/depth'
import { randomYaml, yamlDialects } from '../support/random-yaml'

const runCount = getRounds(150, 10_000)

/** The library's result, or undefined when it finds an error. */
function composeYaml(text: string): unknown {
  const options = {
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
  } as const
  const document = parseDocument(text, options)
  return document.errors.length > 0 ? undefined : resolveEntryNames(buildYamlParts(text, document))
}

/** Converts mappings to a comparable form with keys as text, also for keys such as `1` or `true`. */
const resolveEntryNames = (parts: object): unknown =>
  JSON.parse(
    JSON.stringify(parts, (name, value: unknown) =>
      name === 'targets' ? undefined : typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    ),
  )

const plainLines = yamlDialects.chain((dialect) =>
  randomYaml({ ...dialect, anchors: false, blocks: false, flow: dialect.flow && dialect.unit === 4 }),
)

test('a text of plain lines is parsed like the library, including positions', () => {
  let parsedCount = 0
  fc.assert(
    fc.property(fc.oneof(plainLines, yamlDialects.chain(randomYaml)), (source) => {
      const text = source.replace(/^\uFEFF/, '')
      const parts = readLines(text)
      if (parts === undefined) return
      parsedCount += 1
      expect(resolveEntryNames(parts)).toEqual(composeYaml(text))
    }),
    { numRuns: runCount },
  )
  expect(parsedCount / runCount).toBeGreaterThan(0.1)
})

test('a text with one changed character is parsed like the library, or left to it', () => {
  let parsedCount = 0
  const change = fc.tuple(fc.nat(), fc.constantFrom(...' -:#"\'[]{},&*!|>%@`?\n\tax1~.='), fc.boolean())
  fc.assert(
    fc.property(plainLines, change, (source, [position, character, isAdded]) => {
      const sourceText = source.replace(/^\uFEFF/, '')
      const offset = position % (sourceText.length + 1)
      const text = sourceText.slice(0, offset) + character + sourceText.slice(isAdded ? offset : offset + 1)
      const parts = /\r(?!\n)/.test(text) ? undefined : readLines(text)
      if (parts === undefined) return
      parsedCount += 1
      expect(resolveEntryNames(parts)).toEqual(composeYaml(text))
    }),
    { numRuns: runCount },
  )
  expect(parsedCount / runCount).toBeGreaterThan(0.1)
})
