import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createLinePipes } from '../../../../../src/main/cli/output'

async function* splitChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes.length; position += size) yield bytes.subarray(position, position + size)
}

async function readAllLines(text: string, size: number): Promise<string[]> {
  const lines: string[] = []
  const input = Readable.from(splitChunks(Buffer.from(text), size))
  for await (const line of createLinePipes(() => input, new PassThrough()).lines()) lines.push(line)
  return lines
}

it.each([
  ['nothing', '', []],
  ['one line without an end', 'a', ['a']],
  ['lines with ends', 'a\nb\n', ['a', 'b']],
  ['blank lines', '\n\na\n\n', ['', '', 'a', '']],
  ['a byte order mark', '\uFEFF{}\n', ['{}']],
  ['letters of several bytes', 'Đà Nẵng 🙂\nHuế', ['Đà Nẵng 🙂', 'Huế']],
])('reads %s wherever the bytes are cut', async (_, text, lines) => {
  for (let size = 1; size <= 8; size += 1)
    expect(await readAllLines(text, size), `cut every ${size} bytes`).toEqual(lines)
})

it('reads a line of several megabytes fast', async () => {
  const line = 'x'.repeat(30_000_000)
  expect((await readAllLines(`${line}\ny`, 65_536)).map(({ length }) => length)).toEqual([30_000_000, 1])
})
