import { z } from 'zod'
import { findModel, type Model, models } from '../catalogue'
import { streamFrames } from '../gateway'
import { HttpError } from '../http'
import { type Completion, chatCompletions, countInput, newId, type StreamFrame, splitWords } from '../standards'
import { createEmbedding, type LimitedText, loadTokenizer, reply } from '../text-model'
import { type Call, createOperation, invalidInput, okReply, parseBody, type Reply, type Service } from './operation'

/** Chat completion like the gateway's, but without plan allowances. */
async function chat(call: Call): Promise<Reply | undefined> {
  const { model, body } = await readRequestedModel(call, 'chat')
  const request = parseBody(chatCompletions.body, body)
  const { modelCode, maxTokens, wantsUsage, isStream } = request
  const tokenizer = await loadTokenizer()
  const { inputTokens } = countInput(tokenizer, request)
  requireContextFit(model, inputTokens)
  const { text, tokens: outputTokens, isCut } = tokenizer.limit(reply({ ...request, tools: [] }).text, maxTokens)
  const createdMs = call.store.nowMs()
  const completion: Completion = { createdMs, modelCode, text, isCut, wantsUsage, inputTokens, outputTokens }
  call.note({ stream: isStream, inputTokens, outputTokens })
  if (!isStream) return okReply(chatCompletions.answer(completion))
  await sendStream(call, [...chatCompletions.stream(completion)], outputTokens)
}

const maxInputs = 2_048
const embeddingsPattern = `must be a text or a list of 1 to ${maxInputs} texts, none of them empty (not numbers of tokens)`
const NonEmptyText = z.string().min(1, embeddingsPattern)

const EmbeddingsBody = z.looseObject({
  model: z.string(),
  input: z.union([NonEmptyText, z.array(NonEmptyText).min(1, embeddingsPattern).max(maxInputs, embeddingsPattern)], {
    error: embeddingsPattern,
  }),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().nullish(),
})

async function createEmbeddings(call: Call): Promise<Reply> {
  const { model, body } = await readRequestedModel(call, 'embedding')
  const { input, encoding_format, dimensions } = parseBody(EmbeddingsBody, body)
  const texts = [input].flat()
  const counts = texts.map((await loadTokenizer()).count)
  requireContextFit(model, Math.max(...counts))
  const vectors = texts.map(createEmbedding)
  const length = vectors[0]?.length
  if (dimensions != null && dimensions !== length) throw invalidInput(`dimensions: must be ${length}, or left out`)
  const tokens = counts.reduce((sum, count) => sum + count, 0)
  call.note({ inputTokens: tokens })
  // Little-endian 32-bit floats, the format that client libraries decode.
  const toBase64 = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64')
  return okReply({
    object: 'list',
    data: vectors.map((vector, index) => {
      const embedding = encoding_format === 'base64' ? toBase64(vector) : [...vector]
      return { object: 'embedding', index, embedding }
    }),
    model: model.modelCode,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}

const maxPrompts = 128
const promptRule = `must be a text or a list of 1 to ${maxPrompts} texts`

const Body = z.looseObject({
  model: z.string(),
  prompt: z.union([z.string(), z.array(z.string()).min(1, promptRule).max(maxPrompts, promptRule)], {
    error: promptRule,
  }),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().positive('must be at least 1').nullish(),
})

/** Completes each prompt with the text model, without a limit unless `max_tokens` is set (not in the spec). */
async function handleCompletion(call: Call): Promise<Reply | undefined> {
  const { model, body } = await readRequestedModel(call, 'completion')
  const input = parseBody(Body, body)
  const prompts = [input.prompt].flat()
  const { count, limit } = await loadTokenizer()
  const counts = prompts.map(count)
  requireContextFit(model, Math.max(...counts))
  const texts = prompts.map((prompt) =>
    limit(reply({ modelCode: model.modelCode, prompt }).text, input.max_tokens ?? undefined),
  )
  const inputTokens = counts.reduce((sum, tokens) => sum + tokens, 0)
  const outputTokens = texts.reduce((sum, { tokens }) => sum + tokens, 0)
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  const createdS = Math.floor(call.store.nowMs() / 1000)
  const head = { id: newId('cmpl-'), object: 'text_completion', created: createdS, model: model.modelCode }
  const choice = (index: number, text: string, finish_reason: string | null) => ({
    text,
    index,
    logprobs: null,
    finish_reason,
  })
  const finishReason = ({ isCut }: LimitedText) => (isCut ? 'length' : 'stop')
  call.note({ stream: input.stream ?? false, inputTokens, outputTokens })
  if (!input.stream) {
    const choices = texts.map((limited, index) => choice(index, limited.text, finishReason(limited)))
    return okReply({ ...head, choices, usage })
  }
  const wantsUsage = input.stream_options?.include_usage ?? false
  const nullUsageField = wantsUsage ? { usage: null } : {}
  const toFrame = (fields: object, text = ''): StreamFrame => ({
    wire: `data: ${JSON.stringify({ ...head, ...fields })}\n\n`,
    text,
  })
  const frames = [
    ...texts.flatMap((limited, index) => [
      ...splitWords(limited.text).map((word) =>
        toFrame({ choices: [choice(index, word, null)], ...nullUsageField }, word),
      ),
      toFrame({ choices: [choice(index, '', finishReason(limited))], ...nullUsageField }),
    ]),
    ...(wantsUsage ? [toFrame({ choices: [], usage })] : []),
    { wire: 'data: [DONE]\n\n', text: '' },
  ]
  await sendStream(call, frames, outputTokens)
  return undefined
}

/**
 * Inference (spec, "Endpoints", B). Accepts an IAM token or a platform API key. Errors follow the chat-completions
 * standard.
 */
export const inference: Service = {
  base: '/inference/v1',
  access: 'iam-or-api-key',
  operations: [
    createOperation('inference.chatCompletions', 'POST', '/chat/completions', chat),
    createOperation('inference.completions', 'POST', '/completions', handleCompletion),
    createOperation('inference.embeddings', 'POST', '/embeddings', createEmbeddings),
  ],
  bodyLimitBytes: 20 * 1024 * 1024,
  errorBody: ({ code, ...error }) => chatCompletions.error({ ...error, code: code.toLowerCase(), requestId: '' }),
}

const sendStream = (call: Call, frames: readonly StreamFrame[], outputTokens: number): Promise<void> =>
  streamFrames({ ...call, paceMs: call.timing().paceMs }, frames, outputTokens, (sentTokens) =>
    call.note({ outputTokens: sentTokens }),
  )

type Purpose = 'chat' | 'completion' | 'embedding'

const ModelRequest = z.looseObject({ model: z.string().min(1, 'must not be empty') })

const listModelCodes = (purpose: Purpose): string =>
  models
    .filter(({ enabledTypes }) => enabledTypes.includes(purpose))
    .map(({ modelCode }) => modelCode)
    .join(', ')

/**
 * Reads the requested model. Throws 404 `model_not_found`, or 400 `model_not_capable` if it lacks the purpose (codes
 * not in the spec).
 */
async function readRequestedModel(call: Call, purpose: Purpose) {
  const body = await call.body(ModelRequest)
  call.note({ modelCode: body.model })
  const model = findModel(body.model)
  if (model === undefined) {
    const message = `There is no model "${body.model.slice(0, 100)}". For ${purpose} there are: ${listModelCodes(purpose)}.`
    throw new HttpError(404, 'model_not_found', message)
  }
  if (!model.enabledTypes.includes(purpose)) {
    const purposes = model.enabledTypes.join(', ')
    const message = `The model "${body.model}" serves ${purposes}, not ${purpose}. Use one of: ${listModelCodes(purpose)}.`
    throw new HttpError(400, 'model_not_capable', message)
  }
  return { model, body }
}

/** Checks the input length. Throws 400 if the input exceeds the model's context (not in the spec). */
function requireContextFit({ modelCode, contextTokens }: Model, inputTokens: number): void {
  if (inputTokens <= contextTokens) return
  const message = `The model "${modelCode}" takes up to ${contextTokens} tokens; the input has ${inputTokens}. Shorten it.`
  throw new HttpError(400, 'context_length_exceeded', message)
}
