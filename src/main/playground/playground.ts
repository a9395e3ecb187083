import { randomUUID } from 'node:crypto'
import type { MethodInput, MethodOutput, PlaygroundMessage } from '@shared/contract'
import { AppError } from '@shared/failure'
import { writeCode } from './code/code'
import { decodeAttachment, readAttachment } from './conversation-file'
import { type ChatWords, chatJob, chatValue } from './playground-inference'
import type { KeptRun, NewTurn, PromptMessage } from './ports'
import { buildMessages, suggestTitle } from './prompt-messages'
import { newRun, type PlaygroundContext } from './runs'

interface PlaygroundDeps extends PlaygroundContext {
  /** Tokens of texts; rejects when they cannot be counted now. */
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>
}

type Input<N extends 'send' | 'regenerate' | 'attach' | 'code'> = MethodInput<`playground.${N}`>
type Sent = MethodOutput<'playground.send'>

/** Conversations with models: nothing that was said is lost. */
export class Playground {
  readonly #deps: PlaygroundDeps

  constructor(deps: PlaygroundDeps) {
    this.#deps = deps
  }

  /** Keeps a message and asks for the answer to it. Fails before anything is kept when it cannot be sent. */
  async send({ conversationId, parentId, message, setup }: Input<'send'>): Promise<Sent> {
    const { text, attachments } = message
    if (text.trim() === '' && attachments.length === 0)
      throw new AppError('input.invalid', 'There is nothing to send. Write something, or add a file.', {
        field: 'message',
      })
    const user = { id: randomUUID(), parentId, text, attachments }
    const line = conversationId && parentId ? await this.#deps.store.lineOf(conversationId, parentId) : []
    const title = conversationId === undefined ? await this.#suggestTitle(user) : undefined
    const turn = { conversationId: conversationId ?? randomUUID(), title, setup, user, userMessageId: user.id }
    return this.#ask(turn, [...line, { role: 'user', ...user }])
  }

  /** Asks again for an answer to a message that is kept. */
  async regenerate({ conversationId, userMessageId, setup }: Input<'regenerate'>): Promise<Sent> {
    const line = await this.#deps.store.lineOf(conversationId, userMessageId)
    if (line.at(-1)?.role !== 'user')
      throw new AppError('input.invalid', 'Only a message of yours can be answered.', { field: 'userMessageId' })
    return this.#ask({ conversationId, setup, userMessageId }, line)
  }

  /** Messages as they are now: what comes of a run under way is newer than what is kept of it. */
  async messages(conversationId: string, ids: readonly string[]): Promise<PlaygroundMessage[]> {
    const kept = await this.#deps.store.messages(conversationId, ids)
    return kept.map((message) => {
      const live = message.run && this.#deps.runs.live(message.run.id)
      return live ? withRun(message, live) : message
    })
  }

  /** Hides a conversation and stops its runs. */
  async remove(id: string): Promise<void> {
    await this.#deps.runs.stop(await this.#deps.store.remove(id))
  }

  /** Keeps a file, by what is in it. Fails with `input.invalid`. */
  async attach({ name, mediaType, base64 }: Input<'attach'>): Promise<MethodOutput<'playground.attach'>> {
    const content = decodeAttachment(base64)
    const attachment = readAttachment({ name, mediaType, content })
    // A count is nice to have: without it the file is as good.
    const [tokens] =
      attachment.kind === 'text' ? await this.#deps.countTokens([content.toString('utf8')]).catch(() => []) : []
    const counted = tokens === undefined ? attachment : { ...attachment, tokens }
    await this.#deps.store.attach(counted, content)
    return counted
  }

  /** Base64 of an image, a text as it is. Fails with `playground.notFound`. */
  async attachmentContent(id: string): Promise<string> {
    const [attachment] = await this.#deps.store.attachments([id])
    const content = Buffer.from(await this.#deps.store.attachmentContent(id))
    return content.toString(attachment?.kind === 'text' ? 'utf8' : 'base64')
  }

  /** Runs as they are now; unknown ones are left out. */
  async runs(ids: readonly string[]): Promise<MethodOutput<'playground.runs'>> {
    const kept = new Map((await this.#deps.store.runs(ids)).map((one) => [one.run.id, one]))
    return ids.flatMap((id) => {
      const known = this.#deps.runs.live(id) ?? kept.get(id)
      return known ? [{ run: known.run, answer: known.answer }] : []
    })
  }

  /** What went over the wire. Fails with `playground.notFound` when it is no longer kept. */
  async inspect(runId: string): Promise<MethodOutput<'playground.inspect'>> {
    const wire = this.#deps.runs.wire(runId) ?? (await this.#deps.store.runs([runId]))[0]?.wire
    if (wire) return wire
    throw new AppError('playground.notFound', 'What went over the wire for this request is no longer kept.')
  }

  /** The request of a run as a program, with a variable for the key. */
  async code({ runId, language }: Input<'code'>): Promise<string> {
    return writeCode(await this.inspect(runId), language)
  }

  async #ask(turn: Omit<NewTurn, 'run' | 'at'>, line: readonly PromptMessage[]): Promise<Sent> {
    const { store, runs, open, clock, onChanged } = this.#deps
    const { target: wanted, system, parameters } = turn.setup
    if (!wanted) throw new AppError('playground.noTarget', 'Choose whom to ask first.', { field: 'target' })
    const target = await open(wanted, 'chat')
    const words: ChatWords = { system, parameters, messages: await buildMessages(line, store) }
    const value = chatValue(target, words)
    const at = clock()
    const run = newRun(target, 'chat', at)
    await store.beginTurn({ ...turn, run, at: at.getTime() })
    void runs.start(chatJob({ run, target }, () => value))
    onChanged()
    return { conversationId: turn.conversationId, userMessageId: turn.userMessageId, runId: run.id }
  }

  async #suggestTitle({ text, attachments }: { text: string; attachments: readonly string[] }): Promise<string> {
    const [file] = await this.#deps.store.attachments(attachments.slice(0, 1))
    return suggestTitle(text, file?.name)
  }
}

function withRun(message: PlaygroundMessage, { run, answer: { text, ...answer } }: KeptRun): PlaygroundMessage {
  return { ...message, text, answer, run }
}
