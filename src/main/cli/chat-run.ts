import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { PlaygroundProgress, PlaygroundSetup, PlaygroundTarget } from '@shared/contract'
import { AppError, toAppError } from '@shared/failure'
import { listExhaustedModels } from '@shared/model-quota'
import { createPlayground } from '../compose/playground'
import { buildChatValue, createChatJob } from '../playground/playground-inference'
import { suggestTitle } from '../playground/prompt-messages'
import { createRun, type PlaygroundContext } from '../playground/runs'
import type { KeptRun } from '../playground/store/store'
import { createPlaygroundStore } from '../playground/store-client'
import type { CommandContext } from './context'
import type { ChatOptions } from './lazy-commands'
import { chooseLocalPlan, findPlanKey, requireUsableModel } from './options'
import { jsonText } from './output'

/** Sends one prompt and prints the streamed answer, or with JSON the whole answer. Fails as the request does. */
export async function runChat(
  context: CommandContext,
  options: ChatOptions & { readonly promptWords: readonly string[] },
): Promise<void> {
  const { core, output, pipes, readStdin, outDir } = context
  const target = await toTarget(context, options)
  const prompt = options.promptWords.length > 0 ? options.promptWords.join(' ') : await readStdin()
  if (prompt.trim() === '')
    throw new AppError('input.invalid', 'The prompt is empty. Pass it as an argument or pipe it in.')
  const setup = { target, system: options.system ?? '', parameters: {} }
  const writer = createAnswerWriter(output.isJson ? async () => undefined : (chunk) => pipes.write(chunk))
  const ledger = await context.ledger()
  const playground = createPlayground(core, {
    store: createPlaygroundStore({ dataDir: core.dataDir, workerPath: join(outDir, 'playground.cjs') }),
    sendProgress: writer.add,
    addUsage: (entries) => ledger.add(entries),
  })
  const stop = (): void => void playground.ground.runs.stop()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  pipes.closed.addEventListener('abort', stop, { once: true })
  try {
    const storedRun = await sendPrompt(playground.ground, setup, prompt, options.save === true)
    await writer.end()
    await printRun(context, storedRun)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    pipes.closed.removeEventListener('abort', stop)
    await playground.end()
  }
}

/** Reads the target from the options. Fails with `input.invalid`, `plan.notFound` or `key.notFound`. */
async function toTarget(
  { core, readQuotas }: CommandContext,
  { plan: named, key: keyName, model, standard }: ChatOptions,
): Promise<PlaygroundTarget> {
  const plan = chooseLocalPlan(core, named)
  const key = keyName === undefined ? {} : { keyId: findPlanKey(plan, keyName).id }
  const needsDefault = model === undefined && plan.models.length > 1
  const exhausted = needsDefault ? listExhaustedModels(await readQuotas(), plan.id) : new Set<string>()
  return { kind: 'plan', planId: plan.id, ...key, standard, modelCode: model ?? requireUsableModel(plan, exhausted) }
}

async function sendPrompt(
  { open, runs, store }: PlaygroundContext,
  setup: PlaygroundSetup & { readonly target: PlaygroundTarget },
  prompt: string,
  isKept: boolean,
): Promise<KeptRun> {
  const target = await open(setup.target, 'chat')
  const { system, parameters } = setup
  const messages = [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }] as const
  const value = buildChatValue(target, { system, parameters, messages })
  const run = createRun(target, 'chat')
  if (isKept) {
    const user = { id: randomUUID(), text: prompt, attachments: [] }
    const title = suggestTitle(prompt, undefined)
    const turn = { setup, run, conversationId: randomUUID(), title, user }
    await store.beginTurn({ ...turn, userMessageId: user.id })
  }
  return runs.start({ ...createChatJob({ run, target }, () => value), isKept })
}

/** Prints other models and the failure to standard error, and with JSON the answer. Throws the failure of a failed run. */
async function printRun({ core, output, readQuotas }: CommandContext, { run, answer }: KeptRun): Promise<void> {
  const { state, failure, otherModels = [], target } = run
  if (state === 'stopped') process.exitCode = 130
  if (otherModels.length > 0 && target.kind === 'plan') {
    const exhausted = listExhaustedModels(await readQuotas(), target.planId)
    const usableModels = otherModels.filter((code) => !exhausted.has(code))
    if (usableModels.length > 0) output.err(`Other models of the plan: ${usableModels.join(', ')}.\n`)
  }
  if (failure && state === 'failed') throw toAppError(failure)
  if (failure) {
    process.exitCode = 1
    output.err(`companion: ${failure.message}\n`)
  }
  if (!output.isJson) return
  const { kind: _, isStream: __, ...figures } = run
  const plan = target.kind === 'plan' ? core.plans.find(target.planId).name : undefined
  output.out(`${jsonText({ ...answer, plan, modelCode: target.modelCode, ...figures })}\n`)
}

/** Writes a streamed answer and ends it with a line feed. Ignores a closed output. */
function createAnswerWriter(write: (chunk: string) => Promise<void>) {
  let lastWrite: Promise<void> = Promise.resolve()
  let lastChunk = '\n'
  const writeChunk = (chunk: string): void => {
    lastChunk = chunk
    lastWrite = write(chunk).catch(() => undefined)
  }
  return {
    add(news: readonly PlaygroundProgress[]): void {
      for (const { text } of news) {
        // Control characters and text direction overrides could control the terminal.
        const chunk = text?.piece.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
        if (chunk) writeChunk(chunk)
      }
    },
    /** Resolves when everything is written. */
    async end(): Promise<void> {
      if (!lastChunk.endsWith('\n')) writeChunk('\n')
      await lastWrite
    },
  }
}
