import { randomUUID } from 'node:crypto'
import type {
  CellAddress,
  ComparisonSetup,
  ComparisonView,
  ConversationView,
  MethodInput,
  MethodName,
  MethodOutput,
  PlaygroundMessage,
  PlaygroundRun,
} from '@shared/contract'
import { AppError, undefinedIfFailed } from '@shared/failure'
import { fillVariables, listVariables } from '@shared/playground'
import { expectJson } from './answer-checks'
import { writeCode } from './code'
import { buildChatValue, createChatJob } from './playground-inference'
import { buildMessages, decodeAttachment, readAttachment, suggestTitle } from './prompt-messages'
import { createRun, type PlaygroundContext, type RunJob } from './runs'
import type { NewTurn, PromptMessage } from './store/store'

interface PlaygroundDeps extends PlaygroundContext {
  /** Counts the tokens of texts. Rejects when they cannot be counted now. */
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>
}

type PlaygroundMethod = Extract<MethodName, `playground.${string}`>
type Input<N extends string> = MethodInput<Extract<PlaygroundMethod, `playground.${N}`>>
type SendResult = MethodOutput<'playground.send'>

export class Playground {
  constructor(private readonly deps: PlaygroundDeps) {}

  /** Saves a message and requests the answer. Fails before saving if it cannot be sent. */
  async send({ conversationId, parentId, message, setup }: Input<'send'>): Promise<SendResult> {
    const { text, attachments, toolResults } = message
    if (text.trim() === '' && attachments.length === 0 && !toolResults?.length)
      throw new AppError('input.invalid', 'There is nothing to send. Write something, or add a file.', {
        field: 'message',
      })
    const user = { id: randomUUID(), parentId, text, attachments, toolResults }
    const { store } = this.deps
    const line = conversationId && parentId ? await store.readLine(conversationId, parentId) : []
    const turn = { conversationId: conversationId ?? randomUUID(), setup, user, userMessageId: user.id }
    const [file] = conversationId === undefined ? await store.attachments(attachments.slice(0, 1)) : []
    const title = conversationId === undefined ? suggestTitle(text, file?.name) : undefined
    return this.#ask({ ...turn, title }, [...line, { role: 'user', ...user }])
  }

  async regenerate({ conversationId, userMessageId, setup }: Input<'regenerate'>): Promise<SendResult> {
    const line = await this.deps.store.readLine(conversationId, userMessageId)
    if (line.at(-1)?.role !== 'user')
      throw new AppError('input.invalid', 'Only your own messages can be answered.', { field: 'userMessageId' })
    return this.#ask({ conversationId, setup, userMessageId }, line)
  }

  /** Reads messages. The state of active runs overrides the stored one. */
  async messages({ conversationId, ids }: Input<'messages'>): Promise<PlaygroundMessage[]> {
    return (await this.deps.store.messages(conversationId, ids)).map((message) => {
      const liveRun = message.run && this.deps.runs.live(message.run.id)
      if (!liveRun) return message
      const { text, ...answer } = liveRun.answer
      return { ...message, text, answer, run: liveRun.run }
    })
  }

  /** Deletes one message and stops its run. */
  async removeMessage({ conversationId, messageId }: Input<'removeMessage'>): Promise<ConversationView> {
    const { store, runs, onChanged } = this.deps
    await runs.stop([messageId])
    const view = await store.removeMessage(conversationId, messageId)
    onChanged()
    return view
  }

  /** Copies the messages from the first to the given one into a new conversation. */
  async branch({ conversationId, messageId }: Input<'branch'>): Promise<MethodOutput<'playground.branch'>> {
    const { store, onChanged } = this.deps
    const fullConversation = await store.whole(conversationId)
    const line = new Set((await store.readLine(conversationId, messageId)).map(({ id }) => id))
    const messages = fullConversation.messages.filter(({ id }) => line.has(id))
    const attachmentIds = new Set(messages.flatMap(({ attachments }) => attachments))
    const timestamp = new Date().toISOString()
    const id = await store.add({
      ...fullConversation,
      isPinned: false,
      createdAt: timestamp,
      updatedAt: timestamp,
      messages,
      attachments: fullConversation.attachments.filter((attachment) => attachmentIds.has(attachment.id)),
    })
    onChanged()
    return { conversationId: id }
  }

  /** Hides an item until it is restored, and stops its runs. */
  async remove(item: Input<'remove'>): Promise<void> {
    const { store, runs, onChanged } = this.deps
    await runs.stop(await store.remove(item))
    onChanged()
  }

  /** Adds a file. Detects its type by content. Fails with `input.invalid`. */
  async attach({ name, mediaType, base64 }: Input<'attach'>): Promise<MethodOutput<'playground.attach'>> {
    const content = decodeAttachment(base64)
    const attachment = readAttachment(name, mediaType, content)
    // Saves the file even if its tokens cannot be counted.
    const [tokens] =
      attachment.kind === 'text' ? await this.deps.countTokens([content.toString('utf8')]).catch(() => []) : []
    const attachmentWithTokens = tokens === undefined ? attachment : { ...attachment, tokens }
    await this.deps.store.attach(attachmentWithTokens, content)
    return attachmentWithTokens
  }

  /** Content of an attachment: base64 of an image, or plain text. Fails with `playground.notFound`. */
  async attachmentContent({ id }: Input<'attachmentContent'>): Promise<MethodOutput<'playground.attachmentContent'>> {
    const [attachment] = await this.deps.store.attachments([id])
    const content = Buffer.from(await this.deps.store.attachmentContent(id))
    return { content: content.toString(attachment?.kind === 'text' ? 'utf8' : 'base64') }
  }

  /** Reads a run with its current state. Fails with `playground.notFound`. */
  async run({ runId }: Input<'run'>): Promise<MethodOutput<'playground.run'>> {
    const [storedRun] = await this.deps.store.runs([runId])
    const liveOrStoredRun = this.deps.runs.live(runId) ?? storedRun
    if (!liveOrStoredRun) throw new AppError('playground.notFound', 'This run no longer exists.')
    return { run: liveOrStoredRun.run, answer: liveOrStoredRun.answer }
  }

  /** Request and response of a run. Fails with `playground.notFound` when no longer stored. */
  async inspect({ runId }: Input<'inspect'>): Promise<MethodOutput<'playground.inspect'>> {
    const recordedExchange = this.deps.runs.wire(runId) ?? (await this.deps.store.wire(runId))
    if (recordedExchange) return recordedExchange
    throw new AppError('playground.notFound', 'The HTTP exchange of this request is no longer saved.')
  }

  /** The request as a program, with a variable for the key. */
  async code({ runId, language }: Input<'code'>): Promise<MethodOutput<'playground.code'>> {
    return { code: writeCode(await this.inspect({ runId }), language) }
  }

  async #ask(turn: Omit<NewTurn, 'run'>, line: readonly PromptMessage[]): Promise<SendResult> {
    const { store, runs, open, onChanged } = this.deps
    const { target: requestedTarget, system, parameters } = turn.setup
    if (!requestedTarget) throw new AppError('playground.noTarget', 'Choose a model first.', { field: 'target' })
    const target = await open(requestedTarget, 'chat')
    const value = buildChatValue(target, { system, parameters, messages: await buildMessages(line, store) })
    const checkJson = expectJson(parameters)
    const run = createRun(target, 'chat')
    await store.beginTurn({ ...turn, run })
    void runs.start(createChatJob({ run, target }, () => value, parameters, checkJson))
    onChanged()
    return { conversationId: turn.conversationId, userMessageId: turn.userMessageId, runId: run.id }
  }
}

/** Comparisons: columns by cases, with one run per cell. */
export class PlaygroundComparisons {
  constructor(private readonly context: PlaygroundContext) {}

  /** Reads a comparison. Fails with `playground.notFound`. */
  async get(id: string): Promise<ComparisonView> {
    return this.#asItIs(await this.context.store.comparison(id))
  }

  /** Creates or updates a comparison and stops runs of removed cells. */
  async save(id: string, setup: ComparisonSetup): Promise<ComparisonView> {
    const { store, runs, onChanged } = this.context
    const viewBefore = await undefinedIfFailed('playground.notFound', store.comparison(id))
    const view = await store.saveComparison(id, setup)
    const shownRunIds = new Set(view.cells.map(({ run }) => run.id))
    const runIdsBefore = viewBefore?.cells.map(({ run }) => run.id) ?? []
    await runs.stop(runIdsBefore.filter((runId) => !shownRunIds.has(runId)))
    onChanged()
    return this.#asItIs(view)
  }

  /** Rates an answer or removes its rating. Fails with `playground.notFound`. */
  async rate({ id, runId, rating }: MethodInput<'playground.rateAnswer'>): Promise<ComparisonView> {
    return this.#asItIs(await this.context.store.rateAnswer(id, runId, rating))
  }

  /** Runs cells. Fails before anything is sent if one of them cannot be sent. */
  async run({ id, cells }: MethodInput<'playground.runComparison'>): Promise<ComparisonView> {
    const { store, runs, onChanged } = this.context
    const view = await store.comparison(id)
    const plannedCells = await this.#plan(view.setup, cells)
    const isRepeated = ({ columnId, caseId, repeat }: CellAddress): boolean =>
      cells.some((place) => place.columnId === columnId && place.caseId === caseId && place.repeat === repeat)
    await runs.stop(view.cells.filter(isRepeated).map(({ run }) => run.id))
    const newCells = plannedCells.map(({ job: _, ...cell }) => cell)
    await store.beginCells(id, newCells)
    for (const { job } of plannedCells) void runs.start(job)
    onChanged()
    return this.get(id)
  }

  /** Opens each column's target once. Bodies are built lazily, but checked for errors first. */
  async #plan(setup: ComparisonSetup, places: readonly CellAddress[]) {
    const openedColumns = new Map<string, Awaited<ReturnType<typeof openColumnTarget>>>()
    for (const columnId of new Set(places.map((place) => place.columnId)))
      openedColumns.set(columnId, await openColumnTarget(columnId, setup, this.context.open))
    return places.map((place) => {
      const openedColumn = openedColumns.get(place.columnId)
      const row = setup.cases.find(({ id }) => id === place.caseId)
      if (!openedColumn || (place.caseId !== undefined && !row)) throw createRemovedItemError()
      const { column, target, checkJson } = openedColumn
      const values = Object.fromEntries(
        row ? setup.variables.map((name, index) => [name, row.values[index] ?? '']) : [],
      )
      const { system, parameters, prompt = setup.prompt } = column
      const value = () =>
        buildChatValue(target, {
          system: fillVariables(system, values),
          parameters,
          messages: [{ role: 'user', parts: [{ kind: 'text', text: fillVariables(prompt, values) }] }],
        })
      const run: PlaygroundRun = { ...createRun(target, 'chat'), state: 'waiting' }
      const job: RunJob = { ...createChatJob({ run, target }, value, parameters, checkJson), isLimited: true }
      return { ...place, run, job }
    })
  }

  #asItIs(view: ComparisonView): ComparisonView {
    return {
      ...view,
      cells: view.cells.map((cell) => ({ ...cell, run: this.context.runs.live(cell.run.id)?.run ?? cell.run })),
    }
  }
}

async function openColumnTarget(columnId: string, setup: ComparisonSetup, open: PlaygroundContext['open']) {
  const column = setup.columns.find(({ id }) => id === columnId)
  if (!column) throw createRemovedItemError()
  const checkJson = expectJson(column.parameters)
  const { target: requestedTarget, name, system, parameters, prompt = setup.prompt } = column
  if (!requestedTarget)
    throw new AppError('playground.noTarget', `Choose a model for the column ${name}.`, { field: 'target' })
  if (prompt.trim() === '')
    throw new AppError('input.invalid', 'There is nothing to send. Write the prompt.', { field: 'prompt' })
  // In a comparison without variables, braces are plain text.
  const [unknownVariable] =
    setup.variables.length === 0 ? [] : listVariables(prompt, system).filter((name) => !setup.variables.includes(name))
  if (unknownVariable !== undefined) {
    const message = `{{${unknownVariable}}} is no variable of this comparison: there are ${setup.variables.join(', ')}. Add it, or write it differently.`
    throw new AppError('input.invalid', message, { field: 'variables' })
  }
  const target = await open(requestedTarget, 'chat')
  buildChatValue(target, { system, parameters, messages: [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }] })
  return { column, target, checkJson }
}

const createRemovedItemError = (): AppError =>
  new AppError('playground.notFound', 'This column or test case was removed. Open the comparison again.')
