import type { ResponseFacts } from '../gateway/model-requests'
import { isObject, parseExternalJson } from '../gateway/server-message'
import type { CountTokens } from './ports'

/** Average UTF-8 bytes per token in any language. */
const bytesPerToken = 4
const estimateTokenCounts = (texts: readonly string[]): readonly number[] =>
  texts.map((text) => Math.ceil(Buffer.byteLength(text) / bytesPerToken))

/** Estimates missing token counts. */
export async function estimateTokens(
  basis: {
    readonly body?: Buffer | undefined
    /** Size of the decompressed response in bytes. */
    readonly receivedBytes?: number
    readonly read?: Pick<ResponseFacts, 'output'> | undefined
    /** Reported count of an incomplete response. */
    readonly outputTokens?: number | undefined
  },
  missing: { readonly input: boolean; readonly output: boolean },
  count: CountTokens = async (texts) => estimateTokenCounts(texts),
) {
  const { body = Buffer.alloc(0), read, receivedBytes = 0, outputTokens = 0 } = basis
  const request = missing.input ? requestTexts(body) : undefined
  const { text = '', length = 0 } = read?.output ?? {}
  const texts = [text, ...(request?.texts ?? [])]
  const [outputTokenCount = 0, ...inputTokenCounts] = await count(texts).catch(() => estimateTokenCounts(texts))
  const generatedTokens =
    text === '' ? Math.ceil(receivedBytes / bytesPerToken) : Math.round((outputTokenCount * length) / text.length)
  // A prompt that consists of token ids has no text to count.
  const inputTokens =
    sum(inputTokenCounts) === 0
      ? Math.ceil(body.length / bytesPerToken)
      : sum(inputTokenCounts) + (request?.frameTokens ?? 0)
  return {
    ...(missing.input ? { inputTokens } : {}),
    ...(missing.output ? { outputTokens: Math.max(generatedTokens, outputTokens) } : {}),
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** Tokens around each message in the public chat format of o200k. The start of the response adds the same number. */
const tokensPerMessage = 3

/** All texts of a request body. Undefined if the body is not JSON. */
function requestTexts(body: Buffer): { readonly texts: readonly string[]; readonly frameTokens: number } | undefined {
  const request = parseExternalJson(body.toString())
  if (!isObject(request)) return undefined
  const messages = [request.messages].flat().filter(isObject)
  const calls = messages.flatMap(({ tool_calls }) => (tool_calls === undefined ? [] : [JSON.stringify(tool_calls)]))
  const parts = [request.system, request.prompt, request.input, ...messages.map(({ content }) => content)]
  const tools = request.tools === undefined ? [] : [JSON.stringify(request.tools)]
  return {
    texts: [...tools, ...parts.flatMap(listTexts), ...calls],
    frameTokens: messages.length === 0 ? 0 : tokensPerMessage * (messages.length + 1),
  }
}

/** Texts of nested parts, as in tool results. */
function listTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (Array.isArray(content)) return content.flatMap(listTexts)
  if (!isObject(content)) return []
  const input = content.input === undefined ? [] : [JSON.stringify(content.input)]
  return [...listTexts(content.text), ...input, ...listTexts(content.content)]
}
