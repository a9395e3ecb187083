import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { createLinePipes, PipeClosed, readText, terminalConfirm } from '../../../../src/main/cli/output'

describe('createLinePipes', () => {
  it('writes more only after the reader consumed the earlier output', async () => {
    const pendingWrites: (() => void)[] = []
    const slowStream = new Writable({ write: (_chunk, _encoding, callback) => void pendingWrites.push(callback) })
    const { write } = createLinePipes({ stdin: () => new PassThrough(), stdout: slowStream })
    const onWritten = vi.fn()
    const writePromise = write('a').then(onWritten)
    await new Promise((resolve) => setImmediate(resolve))
    expect(onWritten).not.toHaveBeenCalled()
    pendingWrites.shift()?.()
    await writePromise
  })

  it('reports a closed reader, stops reading, and fails further writes', async () => {
    const input = new PassThrough()
    const brokenStream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')) })
    const pipes = createLinePipes({ stdin: () => input, stdout: brokenStream })
    const readPromise = pipes.lines().next()
    await expect(pipes.write('a')).rejects.toThrow(PipeClosed)
    await expect(readPromise).rejects.toThrow()
    expect(pipes.closed.aborted).toBe(true)
    expect(input.destroyed).toBe(true)
    await expect(pipes.write('b')).rejects.toThrow(PipeClosed)
  })

  it('reads standard input only when a line is requested', async () => {
    const input = new PassThrough()
    const stdin = vi.fn(() => input)
    const pipes = createLinePipes({ stdin, stdout: new PassThrough() })
    const lines = pipes.lines()
    expect(stdin).not.toHaveBeenCalled()
    input.end('one\ntwo')
    const readLines: string[] = []
    for await (const line of lines) readLines.push(line)
    expect(readLines).toEqual(['one', 'two'])
    expect(stdin).toHaveBeenCalledOnce()
  })
})

const openLines = (input: Readable) => createLinePipes({ stdin: () => input, stdout: new PassThrough() }).lines()

it.each([
  ['text', (input: Readable) => readText(input)],
  ['line', (input: Readable) => openLines(input).next()],
])('a %s without end is refused at 64 MB, and its input is closed', async (_, read) => {
  const block = Buffer.alloc(2 ** 20)
  let sentBlocks = 0
  const endless = new Readable({
    read() {
      sentBlocks += 1
      this.push(block)
    },
  })
  await expect(read(endless)).rejects.toThrow('The input is larger than 64 MB.')
  expect(endless.destroyed).toBe(true)
  expect(sentBlocks).toBeLessThan(70)
})

async function* splitChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes.length; position += size) yield bytes.subarray(position, position + size)
}

async function readAllLines(text: string, size: number): Promise<string[]> {
  const lines: string[] = []
  const input = Readable.from(splitChunks(Buffer.from(text), size))
  for await (const line of openLines(input)) lines.push(line)
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

const consentQuestion = { kind: 'useFolder', folder: '/home/me/shop' } as const

/** A user at a terminal who types one line. */
async function answerPrompt(line: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY })
  input.end(`${line}\n`)
  const isAgreed = await terminalConfirm({ stdin: () => input, stderr: output })(consentQuestion)
  return { isAgreed, shown: await text(output.end()) }
}

describe('terminalConfirm', () => {
  it.each([
    ['yes', true],
    [' YES ', true],
    ['y', false],
    ['', false],
    ['no', false],
  ])('interprets "%s" as %s', async (line, isAgreed) => {
    expect((await answerPrompt(line)).isAgreed).toBe(isAgreed)
  })

  it('prints the question and declines without a terminal', async () => {
    const { isAgreed, shown } = await answerPrompt('yes', false)
    expect(isAgreed).toBe(false)
    expect(shown).toContain('/home/me/shop')
    expect(shown).not.toContain('Type yes')
  })
})
