import { writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type LineLog,
  type LogChunk,
  type Position,
  parsePosition,
  readLines,
} from '../../../../../src/main/usage/tool-logs/tool-log'
import { makeSharedFolder } from '../../../support/folders'

const folder = makeSharedFolder()

const log: LineLog = {
  kind: 'lines',
  toolId: 'test',
  folder: () => folder,
  isLog: () => true,
  mark: '"id"',
  read: (line) => {
    const id = typeof line === 'object' && line !== null && 'id' in line ? line.id : undefined
    return typeof id === 'string' ? [{ id, at: 1, modelCode: 'm' }] : undefined
  },
}

const path = join(folder, 'log.jsonl')

/** Reads the lines after a position, and returns the new position as it would be stored. */
async function readNextEntries(bytes: Buffer, startPosition: Position): Promise<{ ids: string[]; position: Position }> {
  writeFileSync(path, bytes)
  const { size, mtimeMs } = await stat(path)
  const ids: string[] = []
  let position = startPosition
  for await (const logChunk of readLines(log, { path, name: 'log.jsonl', size, mtimeMs }, startPosition)) {
    ids.push(...logChunk.answers.map(({ id }) => id))
    position = parsePosition(JSON.stringify(logChunk.position))
  }
  return { ids, position }
}

const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ id: fc.string({ unit: 'grapheme', minLength: 1 }) }).map((record) => JSON.stringify(record)),
  },
  fc.constantFrom('', '\r', '{}', '{"id":', 'no json', '{"id":7}', '{"other":"é\u2028"}\r'),
)
const fileArbitrary = fc
  .array(line, { maxLength: 12 })
  .map((lines) => Buffer.from(lines.map((lineText) => `${lineText}\n`).join('')))
/**
 * Sizes at which the growing file is read, as fractions of the complete size. A size may end within a line or
 * character.
 */
const arbitraryFractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })

/** Reads a file at each of these sizes, and then completely. */
async function readGrowing(file: Buffer, fractions: readonly number[]): Promise<{ ids: string[]; position: Position }> {
  const ids: string[] = []
  let position = parsePosition(undefined)
  for (const fraction of [...fractions, 1]) {
    const logChunk = await readNextEntries(file.subarray(0, Math.round(fraction * file.length)), position)
    ids.push(...logChunk.ids)
    position = logChunk.position
  }
  return { ids, position }
}

it('reads the same from a file that grows at arbitrary bytes as from the complete file', async () => {
  await fc.assert(
    fc.asyncProperty(fileArbitrary, arbitraryFractions, async (file, parts) => {
      const complete = await readGrowing(file, [])
      const { ids, position } = await readGrowing(file, parts)
      expect(new Set(ids)).toEqual(new Set(complete.ids))
      expect(position.notUnderstood).toBe(complete.position.notUnderstood)
      expect(position.offset).toBe(file.length)
    }),
    { numRuns: 100 },
  )
})

it('returns each line of a growing file once', async () => {
  await fc.assert(
    fc.asyncProperty(fileArbitrary, arbitraryFractions, async (file, parts) => {
      const growing = parts.toSorted((a, b) => a - b)
      expect((await readGrowing(file, growing)).ids).toEqual((await readGrowing(file, [])).ids)
    }),
    { numRuns: 60 },
  )
})

it('returns a large file in batches, and continues after the last one', async () => {
  const ids = Array.from({ length: 9000 }, (_, index) => `${index}-${'x'.repeat(200)}`)
  const bytes = Buffer.from(ids.map((id) => `${JSON.stringify({ id })}\n`).join(''))
  writeFileSync(path, bytes)
  const { size, mtimeMs } = await stat(path)
  const file = { path, name: 'log.jsonl', size, mtimeMs }
  const logChunks: LogChunk[] = []
  for await (const logChunk of readLines(log, file, parsePosition(undefined))) logChunks.push(logChunk)
  const [first, ...otherPortions] = logChunks
  expect(otherPortions.length).toBeGreaterThan(1)
  // If the program exits after the first batch, the file does not count as read.
  expect(first?.position).toMatchObject({ size: 0, mtimeMs: 0 })
  const remainingEntries = await readNextEntries(bytes, first?.position ?? parsePosition(undefined))
  expect([...(first?.answers.map(({ id }) => id) ?? []), ...remainingEntries.ids]).toEqual(ids)
})
