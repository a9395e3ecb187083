import { randomUUID } from 'node:crypto'
import type { BranchStep, ComparisonView, MethodInput, MethodOutput, PromptView } from '@shared/contract'
import {
  ComparisonCell,
  ComparisonSetup,
  PlaygroundAnswer,
  type PlaygroundMessage,
  type PlaygroundRun,
  PromptDraft,
  PromptVersion,
} from '@shared/contract/playground'
import { AppError } from '@shared/failure'
import { listComparisonRows, maxComparisonRows } from '@shared/playground'
import Papa from 'papaparse'
import { z } from 'zod'
import { byteOrderMark, formula } from '../core/csv'
import { realDisk } from '../core/files/disk'
import { readChosenFile, toFileName, writeChosenFile } from '../core/files/files'
import type { FileDialogs } from '../core/ports'
import { parseExternalJson } from '../gateway/server-message'
import { decodeAttachment, readAttachment, wrapInCodeFence } from './prompt-messages'
import type { WholeComparison } from './store/comparisons'
import { type KeptRun, WholeConversation } from './store/store'
import type { PlaygroundStore } from './store-client'

interface PlaygroundFilesDeps {
  readonly store: PlaygroundStore
  readonly dialogs: Pick<FileDialogs, 'openMany' | 'save'>
  readonly onChanged: () => void
}

type ExportResult = MethodOutput<'playground.export'>

const maxFileBytes = 256_000_000
const extensions = { markdown: 'md', json: 'json', csv: 'csv' } as const

export class PlaygroundFiles {
  constructor(private readonly deps: PlaygroundFilesDeps) {}

  /** Exports a conversation. Fails with `playground.notFound` or `file.unwritable`. */
  async export({ id, format }: MethodInput<'playground.export'>): Promise<ExportResult> {
    const { store } = this.deps
    const whole = await store.whole(id)
    const text =
      format === 'json'
        ? toJsonFile('conversation', whole)
        : conversationMarkdown(whole, (await store.conversation(id)).branch)
    return this.#save(whole.title, format, text)
  }

  /** Imports all files or none. Fails with `playground.unreadable` or `file.unreadable`. */
  async import({ kind }: MethodInput<'playground.import'>): Promise<MethodOutput<'playground.import'>> {
    const { store } = this.deps
    if (kind === 'conversation') return this.#import((text) => [readConversation(text)], store.add)
    if (kind === 'comparison') return this.#import((text) => [readComparison(text)], store.addComparison)
    return this.#import(readPrompts, async (versions) => {
      const id = randomUUID()
      for (const version of versions) await store.savePrompt({ ...version, id })
      return id
    })
  }

  /** Exports a comparison. Fails with `playground.notFound` or `file.unwritable`. */
  async exportComparison({ id, format }: MethodInput<'playground.exportComparison'>): Promise<ExportResult> {
    const view = await this.deps.store.comparison(id)
    const storedRuns = await this.deps.store.runs(view.cells.map(({ run }) => run.id))
    const text = format === 'csv' ? comparisonCsv(view, storedRuns) : comparisonJson(view, storedRuns)
    return this.#save(view.setup.title, format, text)
  }

  /** Exports prompts. Fails with `playground.notFound` or `file.unwritable`. */
  async exportPrompts({ ids }: MethodInput<'playground.exportPrompts'>): Promise<ExportResult> {
    const prompts = await Promise.all(ids.map((id) => this.deps.store.prompt(id)))
    return this.#save(prompts.length === 1 ? (prompts[0]?.name ?? '') : 'prompts', 'json', promptsJson(prompts))
  }

  /** Reads all files before it adds their items. Returns the ids of the items. */
  async #import<Item>(
    read: (text: string) => readonly Item[],
    add: (item: Item) => Promise<string>,
  ): Promise<MethodOutput<'playground.import'>> {
    const texts: string[] = []
    for (const path of await this.deps.dialogs.openMany('json')) {
      const message = `${path} is too large for a file that this app exported.`
      const bytes = await readChosenFile(path, maxFileBytes, () => new AppError('playground.unreadable', message))
      texts.push(bytes.toString('utf8'))
    }
    const ids: string[] = []
    for (const item of texts.flatMap(read)) ids.push(await add(item))
    if (ids.length > 0) this.deps.onChanged()
    return { ids }
  }

  async #save(title: string, format: keyof typeof extensions, text: string): Promise<ExportResult> {
    const name = `${toFileName(title, 'playground')}.${extensions[format]}`
    return writeChosenFile(await this.deps.dialogs.save(name, format), text, realDisk)
  }
}

/** First members of an exported JSON file (docs/playground.md). */
const fileHeader = (kind: 'conversation' | 'prompts' | 'comparison') => ({
  format: z.literal(`platform-companion-${kind}`),
  version: z.literal(1),
})

const toJsonFile = (kind: Parameters<typeof fileHeader>[0], content: object): string =>
  `${JSON.stringify({ format: `platform-companion-${kind}`, version: 1, ...content }, undefined, 2)}\n`

/** Parses an exported file without its header. Fails with `playground.unreadable`. */
function parseExport<File extends { readonly format: string; readonly version: 1 }>(
  schema: z.ZodType<File>,
  text: string,
  noun: string,
): Omit<File, 'format' | 'version'> {
  const parsedFile = schema.safeParse(parseExternalJson(text))
  if (!parsedFile.success) throw createUnreadableError(parsedFile.error.issues[0]?.path.join('.'), noun)
  const { format: _, version: __, ...content } = parsedFile.data
  return content
}

const createUnreadableError = (fieldPath = '', noun = 'a conversation'): AppError => {
  const place = fieldPath === '' ? '' : ` (at ${fieldPath.slice(0, 100)})`
  return new AppError('playground.unreadable', `This is not ${noun} that this app exported as JSON${place}.`)
}

const ConversationFile = z.strictObject({ ...fileHeader('conversation'), ...WholeConversation.shape })

/** Accepts only an exported conversation. Fails with `playground.unreadable`. */
function readConversation(text: string): WholeConversation {
  const whole = parseExport(ConversationFile, text, 'a conversation')
  requireMessageTree(whole.messages)
  const knownIds = new Set(whole.attachments.map(({ id }) => id))
  if (knownIds.size < whole.attachments.length) throw createUnreadableError('attachments')
  if (whole.messages.some(({ attachments }) => attachments.some((id) => !knownIds.has(id))))
    throw createUnreadableError('messages.attachments')
  return { ...whole, attachments: whole.attachments.map(checkAttachment) }
}

/** Requires parents before children, unique ids and a run for each answer. Roles may repeat after a deletion. */
function requireMessageTree(messages: readonly PlaygroundMessage[]): void {
  const seenIds = new Set<string>()
  for (const { id, parentId, role, run } of messages) {
    const hasSeenParent = parentId === undefined || seenIds.has(parentId)
    const isAnswer = role === 'assistant'
    if (seenIds.has(id) || !hasSeenParent || isAnswer !== (run !== undefined)) throw createUnreadableError('messages')
    seenIds.add(id)
  }
}

type FileAttachment = WholeConversation['attachments'][number]

/** Validates an attachment by its content, because its declared type is untrusted. */
function checkAttachment({ id, name, mediaType, tokens, base64 }: FileAttachment): FileAttachment {
  try {
    const attachment = readAttachment(name, mediaType, decodeAttachment(base64))
    return { ...attachment, id, base64, ...(tokens !== undefined && { tokens }) }
  } catch {
    throw createUnreadableError('attachments')
  }
}

/** The shown branch of a conversation as Markdown. Each answer has its model, token counts and duration. */
function conversationMarkdown(
  { title, setup: { system }, messages, attachments }: WholeConversation,
  branch: readonly BranchStep[],
): string {
  const messagesById = new Map(messages.map((message) => [message.id, message]))
  const fileNames = new Map(attachments.map(({ id, name }) => [id, name]))
  const head = [`# ${toOneLine(title)}`, ...(system.trim() === '' ? [] : [wrapInCodeFence('System', system).trimEnd()])]
  const shownMessages = branch.flatMap(({ id }) => messagesById.get(id) ?? [])
  return `${[...head, ...shownMessages.map((message) => messageText(message, fileNames))].join('\n\n')}\n`
}

function messageText(
  { role, text, attachments, toolResults = [], answer, run }: PlaygroundMessage,
  fileNames: ReadonlyMap<string, string>,
): string {
  const calls = answer?.toolCalls ?? []
  const parts = [
    `## ${role === 'user' ? 'User' : `Assistant (${run?.target.modelCode ?? '?'})`}`,
    ...toolResults.map((result) => wrapInCodeFence('Tool result', result.text)),
    attachments.map((id) => `- ${toOneLine(fileNames.get(id) ?? id)}`).join('\n'),
    text,
    ...calls.map(({ name, input }) => wrapInCodeFence(`Tool call: ${toOneLine(name)}`, input)),
    run ? `*${describeRunMetrics(run)}*` : '',
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Figures of a run, with the column of a CSV file and the words before the value in Markdown. */
const runFigures: readonly {
  readonly column?: string
  readonly label?: string
  readonly read: (run: PlaygroundRun) => string | number | undefined
}[] = [
  { column: 'model', read: ({ target }) => target.modelCode },
  { column: 'state', label: '', read: ({ state }) => state },
  { label: '', read: ({ startedAt }) => startedAt },
  { label: 'HTTP ', read: ({ status }) => status },
  { column: 'first_token_ms', label: 'first token ms ', read: ({ firstTokenMs }) => firstTokenMs },
  { column: 'duration_ms', label: 'duration ms ', read: ({ durationMs }) => durationMs },
  { column: 'tokens_per_second', read: ({ tokensPerSecond }) => tokensPerSecond },
  { label: 'tokens/s ', read: ({ tokensPerSecond }) => tokensPerSecond?.toFixed(1) },
  { column: 'input_tokens', label: 'input ', read: ({ inputTokens }) => inputTokens },
  { column: 'output_tokens', label: 'output ', read: ({ outputTokens }) => outputTokens },
  { column: 'cache_read_tokens', label: 'cache read ', read: ({ cacheReadTokens }) => cacheReadTokens },
  { column: 'cache_write_tokens', label: 'cache write ', read: ({ cacheWriteTokens }) => cacheWriteTokens },
  { column: 'reasoning_tokens', read: ({ reasoningTokens }) => reasoningTokens },
  { column: 'json', read: ({ json }) => json && (json.isValid ? 'valid' : `invalid ${json.violation ?? ''}`.trim()) },
  { label: 'finish ', read: ({ finishReason }) => finishReason },
  { column: 'request_id', label: 'request ', read: ({ requestId }) => requestId },
  { column: 'failure', label: '', read: ({ failure }) => failure?.message },
]

function describeRunMetrics(run: PlaygroundRun): string {
  const figures = runFigures.map(({ label, read }) => [label, read(run)] as const)
  return figures
    .flatMap(([label, value]) => (label === undefined || value === undefined ? [] : [toOneLine(label + value)]))
    .join(', ')
}

const toOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const ImportedPrompt = z.strictObject({
  ...PromptDraft.pick({ name: true, tags: true }).shape,
  /** Newest first. */
  versions: z
    .array(PromptVersion.omit({ number: true, variables: true }))
    .min(1)
    .max(1000),
})

const PromptsFile = z.strictObject({
  ...fileHeader('prompts'),
  prompts: z.array(ImportedPrompt).max(1000),
})

/** Prompts with all their versions as JSON. */
function promptsJson(prompts: readonly PromptView[]): string {
  const promptFile = prompts.map(({ name, tags, versions }) => ({
    name,
    tags,
    versions: versions.map(({ number: _, variables: __, ...version }) => version),
  }))
  return toJsonFile('prompts', { prompts: promptFile })
}

/** Accepts only the output of `promptsJson`. Each prompt has one draft per version, oldest first. Fails with `playground.unreadable`. */
function readPrompts(text: string): (readonly Omit<PromptDraft, 'id'>[])[] {
  return parseExport(PromptsFile, text, 'a file of prompts').prompts.map(({ name, tags, versions }) =>
    versions.toReversed().map(({ createdAt: _, ...version }) => ({ name, tags, ...version })),
  )
}

const metricColumns = runFigures.flatMap(({ column, read }) => (column === undefined ? [] : [[column, read] as const]))

/**
 * A comparison as CSV with one row per test case and repeat, and a row of totals. Each compared model has its answer,
 * check, rating, token counts and times. A leading quote protects cells that a spreadsheet would run as a formula.
 */
function comparisonCsv({ setup, cells }: ComparisonView, storedRuns: readonly KeptRun[]): string {
  const runsById = new Map(storedRuns.map((storedRun) => [storedRun.run.id, storedRun]))
  const columnFields = ['check', 'rating', ...metricColumns.map(([metric]) => metric), 'winner']
  const columnHeads = listColumnNames(setup).flatMap((name) => [
    name,
    ...columnFields.map((field) => `${name} ${field}`),
  ])
  const fields = ['case', 'run', ...setup.variables, 'check', 'expected', ...columnHeads]
  const rows: unknown[][] = listComparisonRows(setup).map(({ testCase, number, repeat }) => [
    number,
    repeat,
    ...setup.variables.map((_, variableIndex) => testCase?.values[variableIndex] ?? ''),
    testCase?.check ?? '',
    testCase?.expected ?? '',
    ...setup.columns.flatMap(({ id: columnId }) => {
      const cell = cells.find(
        (candidate) =>
          candidate.columnId === columnId && candidate.caseId === testCase?.id && (candidate.repeat ?? 1) === repeat,
      )
      const storedRun = cell && runsById.get(cell.run.id)
      return [
        storedRun?.answer.text ?? '',
        cell?.check ? (cell.check.isPassed ? 'passed' : `failed ${cell.check.violation ?? ''}`.trim()) : '',
        cell?.rating ?? '',
        ...metricColumns.map(([, readFigure]) => (storedRun ? (readFigure(storedRun.run) ?? '') : '')),
        '',
      ]
    }),
  ])
  const totals = setup.columns.flatMap(({ id, rating }) => {
    const columnCells = cells.filter(({ columnId }) => columnId === id)
    const runs = columnCells.flatMap(({ run }) => runsById.get(run.id)?.run ?? [])
    const sums = metricColumns.map(([name, readFigure]) =>
      summedColumns.includes(name) ? sumNumbers(runs.map((run): unknown => readFigure(run))) : '',
    )
    const checks = columnCells.flatMap(({ check }) => check ?? [])
    const ratings = columnCells.flatMap((cell) => cell.rating ?? [])
    const averageRating = ratings.length === 0 ? rating : Number(sumNumbers(ratings)) / ratings.length
    const passedText = checks.length === 0 ? '' : `${checks.filter(({ isPassed }) => isPassed).length}/${checks.length}`
    return ['', passedText, averageRating ?? '', ...sums, setup.winner === id ? 'yes' : '']
  })
  rows.push(['total', '', ...setup.variables.map(() => ''), '', '', ...totals])
  return `${byteOrderMark}${Papa.unparse({ fields, data: rows }, { escapeFormulae: formula, newline: '\r\n' })}\r\n`
}

const summedColumns = ['duration_ms', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens']

const sumNumbers = (values: readonly unknown[]): number | string => {
  const numericValues = values.filter((value) => typeof value === 'number')
  return numericValues.length === 0 ? '' : numericValues.reduce((sum, value) => sum + value, 0)
}

/** Distinct column names. A column without a name has the name of its model. */
function listColumnNames({ columns }: ComparisonSetup): readonly string[] {
  const names = columns.map(({ name, target }, index) => name.trim() || target?.modelCode || `column ${index + 1}`)
  return names.map((name, index) => (names.indexOf(name) === index ? name : `${name} (${index + 1})`))
}

/** Formats a comparison with every answer as JSON. `column` and `case` are names for readers. */
function comparisonJson({ setup, cells }: ComparisonView, storedRuns: readonly KeptRun[]): string {
  const answersByRunId = new Map(storedRuns.map((storedRun) => [storedRun.run.id, storedRun.answer]))
  const names = listColumnNames(setup)
  const answeredCells = cells.map((cell) => ({
    column: names[setup.columns.findIndex(({ id }) => id === cell.columnId)],
    ...(cell.caseId !== undefined && { case: setup.cases.findIndex(({ id }) => id === cell.caseId) + 1 }),
    ...cell,
    answer: answersByRunId.get(cell.run.id) ?? { text: '' },
  }))
  return toJsonFile('comparison', { ...setup, cells: answeredCells })
}

const ComparisonFile = z.strictObject({
  ...fileHeader('comparison'),
  ...ComparisonSetup.shape,
  cells: z
    .array(
      z.strictObject({
        ...ComparisonCell.shape,
        column: z.string().optional(),
        case: z.number().optional(),
        answer: PlaygroundAnswer,
      }),
    )
    .max(maxComparisonRows * 8),
})

/** Accepts only the output of `comparisonJson`. Fails with `playground.unreadable`. */
function readComparison(text: string): WholeComparison {
  const { cells, ...setup } = parseExport(ComparisonFile, text, 'a comparison')
  return { setup, cells: cells.map(({ column: _, case: __, check: ___, ...cell }) => cell) }
}
