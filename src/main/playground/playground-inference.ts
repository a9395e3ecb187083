import type { MethodInput, MethodOutput, PlaygroundParameters, PlaygroundRun } from '@shared/contract'
import { AppError, toAppError } from '@shared/failure'
import { z } from 'zod'
import {
  chatBody,
  completionBody,
  embeddingsBody,
  type ResponseDelta,
  type ResponseFacts,
  type ResponseReader,
  schemaName,
} from '../gateway/model-requests'
import { createResponseReader, maxResponseBytes } from '../gateway/response-reader'
import { parseExternalJson } from '../gateway/server-message'
import { readUsage } from '../gateway/usage'
import type { BudgetMeter, Reservation } from '../relay/budget-meter'
import type { CheckJson } from './answer-checks'
import { createRun, type PlaygroundContext, type RunJob } from './runs'
import type { KeptRun } from './store/store'
import type { OpenTarget, Purpose } from './targets'

/** Text completions and embeddings, outside of conversations. */
export class PlaygroundInference {
  constructor(private readonly context: Pick<PlaygroundContext, 'store' | 'runs' | 'open'>) {}

  /** Requests a text completion. Fails before anything is sent. */
  async complete({ target: requested, ...request }: MethodInput<'playground.complete'>): Promise<PlaygroundRun> {
    const target = await this.context.open(requested, 'completion')
    const { standard } = target
    const value = completionBody({ standard, modelCode: requested.modelCode, ...request })
    const reader = (): ResponseReader => createResponseReader({ standard, kind: 'completion' })
    const job = await this.#createJob(target, 'completion', value, reader)
    void this.context.runs.start(job)
    return job.run
  }

  /** Requests embeddings. An error of the server is in the returned run. */
  async embed(
    { target: requested, inputs }: Omit<MethodInput<'playground.embed'>, 'callId'>,
    signal: AbortSignal,
  ): Promise<MethodOutput<'playground.embed'>> {
    const target = await this.context.open(requested, 'embeddings')
    const value = embeddingsBody({ standard: target.standard, modelCode: requested.modelCode, inputs })
    const reader = new EmbeddingsReader(inputs.length)
    const job = await this.#createJob(target, 'embeddings', value, () => reader)
    const { run } = await this.context.runs.start({ ...job, signal })
    const vectors = reader.embeddings
    const embeddings = vectors.map((vector) => ({
      preview: vector.slice(0, previewLength),
      dimensions: vector.length,
      norm: vectorLength(vector),
    }))
    return { run, embeddings, similarity: similarities(vectors) }
  }

  /** Saves a new run. */
  async #createJob(target: OpenTarget, kind: Purpose, value: unknown, reader: RunJob['reader']): Promise<RunJob> {
    const run = createRun(target, kind)
    await this.context.store.saveRun({ run, answer: { text: '' } })
    return { run, target, body: () => value, reader }
  }
}

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().nonnegative().optional(), embedding: z.array(z.number()).min(1) })),
  usage: z.unknown().optional(),
})

const previewLength = 16

/** Parses the response to an embeddings request (spec, "Inference"): one JSON body with one vector per input. */
class EmbeddingsReader implements ResponseReader {
  /** One vector per input, in input order. Empty until the response is complete. */
  embeddings: readonly (readonly number[])[] = []
  readonly #chunks: Uint8Array[] = []
  #bytes = 0
  #facts: ResponseFacts = { isWhole: false }

  constructor(private readonly inputs: number) {}

  feed(bytes: Uint8Array): readonly ResponseDelta[] {
    this.#bytes += bytes.length
    if (this.#bytes <= maxResponseBytes) this.#chunks.push(Uint8Array.from(bytes))
    return []
  }

  end(): readonly ResponseDelta[] {
    if (this.#bytes > maxResponseBytes) return []
    const text = Buffer.concat(this.#chunks.splice(0)).toString('utf8')
    const { success, data } = Embeddings.safeParse(parseExternalJson(text))
    if (!success || data.data.length !== this.inputs) return []
    const orderedEmbeddings = data.data.map(({ index, embedding }, position) => ({ at: index ?? position, embedding }))
    this.embeddings = orderedEmbeddings.sort((a, b) => a.at - b.at).map(({ embedding }) => embedding)
    this.#facts = { isWhole: true, usage: readUsage(data.usage) }
    return []
  }

  facts(): ResponseFacts {
    return this.#facts
  }
}

/** Matrix of cosine similarities, from -1 to 1. 0 for empty or incomparable vectors. */
function similarities(vectors: readonly (readonly number[])[]): number[][] {
  const norms = vectors.map(vectorLength)
  return vectors.map((rowVector, row) =>
    vectors.map((columnVector, column) => {
      const length = (norms[row] ?? 0) * (norms[column] ?? 0)
      return length === 0 || rowVector.length !== columnVector.length
        ? 0
        : Math.max(-1, Math.min(1, dotProduct(rowVector, columnVector) / length))
    }),
  )
}

const dotProduct = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

const vectorLength = (vector: readonly number[]): number => Math.sqrt(dotProduct(vector, vector))

/** The request body of a chat. Fails with `input.invalid` and the name of a field that the standard does not support. */
export function buildChatValue(
  { target: { modelCode }, standard }: OpenTarget,
  content: Pick<Parameters<typeof chatBody>[0], 'system' | 'messages' | 'parameters'>,
): unknown {
  return chatBody({ standard, modelCode, ...content })
}

export function createChatJob(
  { run, target }: { readonly run: PlaygroundRun; readonly target: OpenTarget },
  value: () => unknown,
  { schema = '' }: PlaygroundParameters = {},
  checkJson?: CheckJson,
): RunJob {
  const { standard } = target
  const isSchemaAsTool = standard === 'messages' && schema.trim() !== ''
  const reader = (): ResponseReader => {
    const chat = createResponseReader({ standard, kind: 'chat' })
    return isSchemaAsTool ? new SchemaAnswerReader(chat) : chat
  }
  return { run, target, body: value, reader, checkJson }
}

/** Reader for a request that forces the model to call one tool. The input of this call becomes the text of the answer. */
class SchemaAnswerReader implements ResponseReader {
  #length = 0

  constructor(private readonly chat: ResponseReader) {}

  feed = (bytes: Uint8Array): readonly ResponseDelta[] => this.chat.feed(bytes).flatMap(this.#convert)
  end = (): readonly ResponseDelta[] => this.chat.end().flatMap(this.#convert)
  facts = (): ResponseFacts => this.chat.facts()

  #convert = (delta: ResponseDelta): readonly ResponseDelta[] => {
    if (delta.kind !== 'toolCalls') return [delta]
    const input = delta.calls.find(({ name }) => name === schemaName)?.input ?? ''
    const calls = delta.calls.filter(({ name }) => name !== schemaName)
    const piece = input.slice(this.#length)
    this.#length = Math.max(this.#length, input.length)
    return [
      ...(piece === '' ? [] : [{ kind: 'text', piece } as const]),
      ...(calls.length === 0 ? [] : [{ kind: 'toolCalls', calls } as const]),
    ]
  }
}

export interface SinglePrompt {
  readonly planId: string
  readonly modelCode: string
  readonly prompt: string
  readonly system: string
  readonly maxTokens: number
  /** The calling tool, for which the request is recorded and whose budgets apply. */
  readonly toolId: string | undefined
}

export type PromptBudgets = Pick<BudgetMeter, 'findScope' | 'admit' | 'release'>

/**
 * Sends a prompt to a plan, outside of conversations. It is recorded in the ledger and not stored. Fails as the request
 * does, with `budget.usedUp`, or with `net.cancelled` when stopped.
 */
export async function askOnce(
  { open, runs }: Pick<PlaygroundContext, 'open' | 'runs'>,
  budgets: PromptBudgets | undefined,
  { planId, modelCode, prompt, system, maxTokens, toolId }: SinglePrompt,
  { signal, onText }: { readonly signal: AbortSignal; readonly onText: (text: string) => void },
): Promise<KeptRun> {
  const target = await open({ kind: 'plan', planId, standard: 'chat-completions', modelCode }, 'chat')
  signal.throwIfAborted()
  const messages = [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }] as const
  const value = buildChatValue(target, { system, parameters: { maxTokens }, messages })
  const request = { planId, keyId: target.keyId, toolId, modelCode }
  const reservation = budgets && (await reserve(budgets, request))
  try {
    const job = createChatJob({ run: createRun(target, 'chat'), target }, () => value)
    const endedRun = await runs.start({ ...job, isKept: false, isLimited: true, toolId, signal, onText })
    if (signal.aborted) throw new AppError('net.cancelled', 'The request was stopped.')
    const { failure } = endedRun.run
    if (failure) throw toAppError(failure)
    return endedRun
  } finally {
    if (reservation) budgets.release(reservation)
  }
}

/** Reserves a request in the budgets of its tool, plan, key and model. Fails with `budget.usedUp`. */
async function reserve(
  budgets: PromptBudgets,
  request: Parameters<PromptBudgets['admit']>[0] & { readonly modelCode: string },
): Promise<Reservation> {
  const admission = budgets.findScope(request).isModelUnclear
    ? { detail: `A budget may count the model ${request.modelCode}. Send its code exactly as listed.` }
    : await budgets.admit(request)
  if ('detail' in admission) throw new AppError('budget.usedUp', admission.detail)
  return admission
}
