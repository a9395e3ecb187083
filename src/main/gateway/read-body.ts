/** A body as far as it could and may be read. */
export type ReadBody = {
  readonly text: string
  /** Whether it goes on beyond the limit; the rest was not fetched. */
  readonly isTooLong: boolean
  /** Why it ended early, when it did. */
  readonly error?: unknown
}

/** Reads at most `maxBytes` of a body as UTF-8; never rejects. */
export async function readBody(body: Response['body'], maxBytes: number): Promise<ReadBody> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  const text = () => new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes))
  if (reader === undefined) return { text: '', isTooLong: false }
  try {
    for (let length = 0; length <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return { text: text(), isTooLong: false }
      chunks.push(value)
      length += value.byteLength
    }
    await reader.cancel()
    return { text: text(), isTooLong: true }
  } catch (error) {
    return { text: text(), isTooLong: false, error }
  }
}
