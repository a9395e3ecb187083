import { PassThrough, Readable, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLinePipes, PipeClosed, readText } from '../../../../src/main/cli/output'

describe('createLinePipes', () => {
  it('writes more only after the reader consumed the earlier output', async () => {
    const pendingWrites: (() => void)[] = []
    const slowStream = new Writable({ write: (_chunk, _encoding, callback) => void pendingWrites.push(callback) })
    const { write } = createLinePipes(() => new PassThrough(), slowStream)
    let isOutputWritten = false
    const writePromise = write('a').then(() => {
      isOutputWritten = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOutputWritten).toBe(false)
    pendingWrites.shift()?.()
    await writePromise
    expect(isOutputWritten).toBe(true)
  })

  it('reports a closed reader, stops reading, and fails further writes', async () => {
    const input = new PassThrough()
    const brokenStream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')) })
    const pipes = createLinePipes(() => input, brokenStream)
    const readPromise = pipes.lines().next()
    await expect(pipes.write('a')).rejects.toThrow(PipeClosed)
    await expect(readPromise).rejects.toThrow()
    expect(pipes.closed.aborted).toBe(true)
    expect(input.destroyed).toBe(true)
    await expect(pipes.write('b')).rejects.toThrow(PipeClosed)
  })

  it('reads standard input only when a line is requested', async () => {
    let touchCount = 0
    const input = new PassThrough()
    const pipes = createLinePipes(() => {
      touchCount += 1
      return input
    }, new PassThrough())
    const lines = pipes.lines()
    expect(touchCount).toBe(0)
    input.end('one\ntwo')
    const readLines: string[] = []
    for await (const line of lines) readLines.push(line)
    expect(readLines).toEqual(['one', 'two'])
    expect(touchCount).toBe(1)
  })
})

describe('input without end', () => {
  const readers = {
    text: (input: Readable) => readText(input),
    line: (input: Readable) =>
      createLinePipes(() => input, new PassThrough())
        .lines()
        .next(),
  }

  it.each(Object.entries(readers))('of a %s is refused at 64 MB, and closed', async (_, read) => {
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
})
