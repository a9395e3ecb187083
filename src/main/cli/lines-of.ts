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
