import type { Readable, Writable } from 'node:stream'

/** Standard input and output as streams. */
export interface Pipes {
  /** The lines of standard input, read as they are asked for. */
  lines(): AsyncGenerator<string, void, void>
  /** Resolves once the text is on its way; rejects with `PipeClosed` when nobody reads any more. */
  write(text: string): Promise<void>
  /** Aborts when nobody reads what is written. */
  readonly closed: AbortSignal
}

/** Nobody reads standard output any more: the end of the work, and no failure. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed'
}

/** Pipes over two streams; `input` is touched when its first line is asked for. */
export function createPipes(input: () => Readable, output: Writable): Pipes {
  const closing = new AbortController()
  // Without a listener, the reader of a pipe who has seen enough would end the process with a stack trace.
  output.on('error', () => closing.abort())
  return {
    closed: closing.signal,
    async *lines() {
      const from = input()
      const stop = (): void => void from.destroy()
      closing.signal.addEventListener('abort', stop, { once: true })
      if (!closing.signal.aborted) yield* linesOf(from)
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        output.write(text, (error) => (error ? reject(new PipeClosed(error.message)) : resolve()))
      }),
  }
}

/** The lines of a stream of UTF-8 bytes, without their line feeds; what follows the last one is a line as well. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  for await (const chunk of bytes) {
    const [head = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n')
    begun.push(head)
    for (const next of more) {
      yield begun.join('')
      begun = [next]
    }
  }
  const last = begun.join('') + decoder.decode()
  if (last !== '') yield last
}
