import { AppError } from '@shared/failure'
import fc from 'fast-check'
import { stripComments, visit } from 'jsonc-parser'
import { expect, test, vi } from 'vitest'
import { editJson, type JsonEdit, removeJson, toStrictJson } from '../../../../../src/main/tools/editors/json'
import { dialects, randomJson } from '../support/random-json'

vi.setConfig({ testTimeout: 60_000 })

const documents = dialects.chain((dialect) =>
  randomJson(dialect).map((text) => ({ text, strict: !dialect.comments && !dialect.trailingCommas })),
)

const paths = [
  ['env', 'BASE'],
  ['env', 'TOKEN'],
  ['apiKeyHelper'],
  ['a'],
  ['model'],
  ['provider', 'ours', 'options', 'url'],
  ['provider', 'ours', 'models', 'm/1'],
  ['__proto__', 'x'],
]

const values = fc.oneof(
  fc.constant(undefined),
  fc.string({ maxLength: 6 }),
  fc.constantFrom<JsonEdit['path'] | number | null | { readonly limit: { readonly context: number } }>(
    7,
    null,
    [],
    ['x', 'y'],
    { limit: { context: 5 } },
  ),
)

const edits = fc
  .subarray(paths, { minLength: 1 })
  .chain((chosen) => fc.tuple(...chosen.map((path) => values.map((value): JsonEdit => ({ path, value })))))
  .chain((settings) =>
    fc.constantFrom(settings, [...settings, { path: ['hooks'], member: 'x', present: true } satisfies JsonEdit]),
  )

const EMPTY_OBJECT = '["object"]'

/** What a text says, found without the editor: one line, names sorted, `__proto__` a name like any other. */
function json(text: string, withoutEmptyObjects = false): string {
  const bare = stripComments(text.replace(/^\uFEFF/, '')).replace(
    /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g,
    (_match, quoted: string | undefined) => quoted ?? '',
  )
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value)
      .map(([name, inner]) => [name, sorted(inner)])
      .filter(([, inner]) => !withoutEmptyObjects || JSON.stringify(inner) !== EMPTY_OBJECT)
    return ['object', ...members.sort()]
  }
  return JSON.stringify(sorted(JSON.parse(bare)))
}

const commentsOf = (text: string): string[] => {
  const found: string[] = []
  const body = text.replace(/^\uFEFF/, '')
  visit(body, { onComment: (offset, length) => found.push(body.slice(offset, offset + length)) })
  return found
}

/** The outcome, or undefined for a refusal that is documented. */
function unlessRefused(run: () => string): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'file.unparsable' && error.failure.field !== undefined)
      return undefined
    throw error
  }
}

const runs = { numRuns: Number(process.env.FC_RUNS ?? 1000) }

test('an edit and its removal give back the same settings and every comment, mostly to the byte', () => {
  let edited = 0
  let toTheByte = 0
  fc.assert(
    fc.property(documents, edits, ({ text, strict }, chosen) => {
      const after = unlessRefused(() => editJson(text, chosen, { strict }))
      if (after === undefined) return
      const back = removeJson(after, chosen, text)
      edited += 1
      if (back === text) toTheByte += 1
      expect(json(back)).toEqual(json(text))
      expect(commentsOf(back).sort()).toEqual(commentsOf(text).sort())
    }),
    runs,
  )
  expect(toTheByte / edited).toBeGreaterThan(0.9)
})

test('an edit makes its settings so, is idempotent, and keeps the byte order mark', () => {
  fc.assert(
    fc.property(documents, edits, ({ text, strict }, chosen) => {
      const after = unlessRefused(() => editJson(text, chosen, { strict }))
      if (after === undefined) return
      expect(after.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
      if (strict) JSON.parse(after.replace(/^\uFEFF/, ''))
      expect(editJson(after, chosen, { strict })).toBe(after)
    }),
    runs,
  )
})

test('a removal without an original leaves what the user had, with every comment', () => {
  fc.assert(
    fc.property(documents, edits, ({ text, strict }, chosen) => {
      const after = unlessRefused(() => editJson(text, chosen, { strict }))
      if (after === undefined) return
      const bare = removeJson(after, chosen, undefined)
      const unowned = removeJson(text, chosen, undefined)
      expect(json(bare, true)).toEqual(json(unowned, true))
      expect(commentsOf(bare).sort()).toEqual(commentsOf(unowned).sort())
    }),
    runs,
  )
})

test('strict text says the same as the text with comments and trailing commas', () => {
  fc.assert(
    fc.property(documents, ({ text }) => {
      const strict = toStrictJson(text)
      JSON.parse(strict.replace(/^\uFEFF/, ''))
      expect(json(strict)).toBe(json(text))
      expect(commentsOf(strict)).toEqual([])
    }),
    runs,
  )
})
