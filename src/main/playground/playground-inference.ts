import type {
  MethodInput,
  MethodOutput,
  PlaygroundParameters,
  PlaygroundProgress,
  PlaygroundRun,
  PlaygroundTarget,
} from '@shared/contract'
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
import { type CheckJson, expectJson } from './answer-checks'
import { createRun, type PlaygroundContext, type RunJob } from './runs'
import type { KeptRun } from './store/store'
import type { OpenTarget, Purpose } from './targets'

/** Text completions and embeddings, outside of conversations. */
export class PlaygroundInference {
  constructor(private readonly context: Pick<PlaygroundContext, 'store' | 'runs' | 'open' | 'clock'>) {}

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
    const { runs, open } = this.context
    const target = await open(requested, 'embeddings')
    const value = embeddingsBody({ standard: target.standard, modelCode: requested.modelCode, inputs })
    const reader = new EmbeddingsReader(inputs.length)
    const job = await this.#createJob(target, 'embeddings', value, () => reader)
    const runPromise = runs.start(job)
    const stop = (): void => void runs.stop([job.run.id])
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const { run } = await runPromise.finally(() => signal.removeEventListener('abort', stop))
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
    const run = createRun(target, kind, this.context.clock())
    await this.context.store.saveRun({ run, answer: { text: '' } })
    return { run, target, body: async () => value, reader }
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
  return { run, target, body: async () => value(), reader, checkJson }
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

interface SinglePrompt {
  readonly target: PlaygroundTarget
  readonly prompt: string
  readonly system: string
  readonly parameters: PlaygroundParameters
  /** Coding tool for which the request is recorded. Default: the playground. */
  readonly toolId?: string | undefined
}

/** Single requests outside of conversations, recorded in the ledger and not stored. */
export class SinglePrompts {
  readonly #listeners = new Map<string, (text: string) => void>()

  constructor(private readonly budgets?: Pick<BudgetMeter, 'findScope' | 'admit' | 'release'>) {}

  tell(news: readonly PlaygroundProgress[]): void {
    for (const { runId, text } of news) if (text) this.#listeners.get(runId)?.(text.piece)
  }

  /**
   * Resolves with the complete answer. Fails as the request does, with `budget.usedUp`, or with `net.cancelled` when
   * stopped.
   */
  async ask(
    { open, clock, runs }: Pick<PlaygroundContext, 'open' | 'clock' | 'runs'>,
    { target, prompt, system, parameters, toolId }: SinglePrompt,
    { signal, onText }: { readonly signal: AbortSignal; readonly onText: (text: string) => void },
  ): Promise<KeptRun> {
    const openedTarget = await open(target, 'chat')
    signal.throwIfAborted()
    const messages = [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }] as const
    const value = buildChatValue(openedTarget, { system, parameters, messages })
    const reservation = await this.#reserve(openedTarget, toolId)
    const run = createRun(openedTarget, 'chat', clock())
    const stop = (): void => void runs.stop([run.id])
    this.#listeners.set(run.id, onText)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const runToStore = await runs.start({
        ...createChatJob({ run, target: openedTarget }, () => value, parameters, expectJson(parameters)),
        isKept: false,
        isLimited: true,
        toolId,
      })
      if (signal.aborted) throw new AppError('net.cancelled', 'The request was stopped.')
      const { failure } = runToStore.run
      if (failure) throw toAppError(failure)
      return runToStore
    } finally {
      if (reservation) this.budgets?.release(reservation)
      this.#listeners.delete(run.id)
      signal.removeEventListener('abort', stop)
    }
  }

  /** Reserves the request in the budgets of its tool, plan, key and model. Fails with `budget.usedUp`. */
  async #reserve({ target, keyId }: OpenTarget, toolId: string | undefined): Promise<Reservation | undefined> {
    if (!this.budgets || target.kind !== 'plan') return undefined
    const request = { planId: target.planId, keyId, toolId, modelCode: target.modelCode }
    const admission = this.budgets.findScope(request).isModelUnclear
      ? { detail: `A budget may count the model ${target.modelCode}. Send its code exactly as listed.` }
      : await this.budgets.admit(request)
    if ('detail' in admission) throw new AppError('budget.usedUp', admission.detail)
    return admission
  }
}
