import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { AccountPlanView, CheckView, KeyView, SubscriptionKeyView } from '@shared/contract'
import type { AddressCorrection } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { escapeHiddenInJson, withoutHidden } from '@shared/hidden-characters'
import words from '../../renderer/locales/en/connections.json'
import { type Confirm, queueConfirmations } from '../core/consent/consent'
import { questionText } from '../core/consent/question-text'
import { shellQuote } from '../core/environment'
import { formatDay, formatExactTime, relativeWords } from '../core/local-time'

/** Corrections of a pasted address, as in the window. */
export const correctionTexts: Readonly<Record<AddressCorrection, string>> = words.corrections

/** Formats a whole number: `1,234,567`. */
export const formatInteger = (value: number): string => new Intl.NumberFormat('en').format(value)

export const money = (amount: number): string => `${formatInteger(amount)} VND`

/** A number with its unit: `1 key`, `2 keys`. */
export const formatCount = (count: number, word: string): string =>
  `${formatInteger(count)} ${word}${count === 1 ? '' : 's'}`

/** Describes what happens to a plan at its expiry, with the exact time (spec, "States", Plan). */
export function formatExpiryAction(
  { name, autoRenew, status, cycleDays, expiresAt, total }: AccountPlanView,
  currentTime: Date,
): string {
  const expiryText = formatExactTime(expiresAt)
  const expiryWithRelative = `${expiryText}, ${relativeWords(expiresAt, currentTime)}`
  if (status === 'EXPIRED')
    return `Expired ${expiryText}. Its keys no longer work. Buy a new one with "companion plan buy-again ${shellWord(name)} --name NAME".`
  return autoRenew
    ? `The plan renews for another ${formatCount(cycleDays, 'day')} before ${expiryWithRelative}, for ${money(total)} from the credits. If the credits are not enough, the platform tries again. If that fails too, the plan expires and its keys stop working.`
    : `The plan stays active until ${expiryWithRelative}. Then all its keys stop working. Nothing is charged or refunded. You can turn auto-renew on again until then.`
}

/** Converts the local time to server time, which determines when a plan expires. */
export const toServerTime = (
  currentTime: Date,
  { aheadMs: clockOffsetMs = 0 }: { readonly aheadMs?: number | undefined },
): Date => new Date(currentTime.getTime() + clockOffsetMs)

export const storageTexts: Readonly<Record<KeyView['kept'], string>> = {
  keychain: 'in the keychain',
  session: 'until the app quits',
  missing: 'missing',
}

/** Lists keys, masked. The creation time of a key that only this computer has is unknown. */
export const listKeyLines = (keys: readonly (SubscriptionKeyView | KeyView)[], emptyText?: string): string[] =>
  listLines(
    keys,
    {
      KEY: ({ masked }) => masked,
      NAME: ({ name }) => name,
      STATUS: ({ status }) => status?.toLowerCase(),
      CREATED: (key) => ('createdAt' in key ? formatDay(key.createdAt) : '-'),
      SAVED: ({ kept }) => (kept === undefined ? 'no' : storageTexts[kept]),
      'USED BY': (key) => ('createdAt' in key && key.usedBy.join(', ')) || '-',
      ID: (key) => ('keyId' in key ? key.keyId : key.id),
    },
    emptyText,
  )

export interface Output {
  out(text: string): void
  err(text: string): void
  readonly isJson: boolean
  readonly hasColour: boolean
}

/** An invalid argument or option. */
export const inputError = (message: string, field: string): AppError =>
  new AppError('input.invalid', message, { field })

/** Prints `value` as JSON if requested, or else the lines. */
export function printOutput(output: Output, value: unknown, lines: () => readonly string[]): void {
  if (output.isJson) output.out(`${jsonText(value)}\n`)
  else for (const line of lines()) output.out(`${line}\n`)
}

/** Output of a command: the value for `--json`, and the lines of text. */
export type Result = readonly [value: unknown, lines: readonly string[]]

/** JSON that is safe in a terminal, because texts may come from outside. */
export const jsonText = (value: unknown, indent = 0): string =>
  escapeHiddenInJson(JSON.stringify(value, undefined, indent) ?? 'null')

/** Removes characters that would break the line or control the terminal. */
export const toSingleLine = (text: string): string => withoutHidden(text)

/** Quotes a name as an argument of a command that the user can paste into a shell. */
export const shellWord = (text: string): string => shellQuote([toSingleLine(text)], process.platform)

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const allRows = [headings, ...rows].map((row) => row.map(toSingleLine))
  const widths = headings.map((_, column) => Math.max(...allRows.map((row) => row[column]?.length ?? 0)))
  return allRows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Columns of a table by their headings. A missing value is shown as `-`. */
export type Columns<T> = Readonly<Record<string, (item: T) => string | undefined>>

/** A table of items, or a text if there are none. */
export function listLines<T>(items: readonly T[], columns: Columns<T>, emptyText?: string): string[] {
  if (items.length === 0 && emptyText !== undefined) return [emptyText]
  const toRow = (item: T): string[] => Object.values(columns).map((toCell) => toCell(item) ?? '-')
  return table(Object.keys(columns), items.map(toRow))
}

/** The items as JSON, and as a table. */
export const listResult = <T>(items: readonly T[], columns: Columns<T>, emptyText?: string): Result => [
  items,
  listLines(items, columns, emptyText),
]

/** Lines of names and values, with the values in one column. */
export function alignPairs(rows: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => toSingleLine(`${name.padEnd(width)}  ${value}`))
}

/** Formats the result of a test request to a gateway. Sets the exit code if it failed. */
export function formatCheck(check: CheckView): Result {
  const requestLine = `POST ${check.requestAddress}`
  if (!check.ok) {
    process.exitCode = 1
    return [check, [`failed: ${requestLine}`, check.failure.message]]
  }
  const answer = check.modelCode
    ? `${check.modelCode} responded: ${check.answer ?? ''}`
    : 'The gateway accepts the key.'
  const tokens =
    check.inputTokens === undefined ? '' : `, ${check.inputTokens} tokens in, ${check.outputTokens ?? '?'} out`
  return [check, [`ok: ${requestLine} (${Math.round(check.durationMs)} ms${tokens})`, answer]]
}

export interface Pipes {
  lines(): AsyncGenerator<string, void, void>
  /** Resolves when the text is written. Rejects with `PipeClosed` when the output was closed. */
  write(text: string): Promise<void>
  /** Signal that aborts when the output is closed. */
  readonly closed: AbortSignal
}

export type Streams = Pick<Terminal, 'stdin' | 'stdout'>

/** The output was closed. Ends the work without a failure. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed'
}

/** Creates the pipes of a command. */
export function createLinePipes({ stdin, stdout }: Streams): Pipes {
  const closeController = new AbortController()
  // Without a listener, a closed pipe would end the process with a stack trace.
  stdout.on('error', () => closeController.abort())
  return {
    closed: closeController.signal,
    async *lines() {
      const inputStream = stdin()
      const stop = (): void => void inputStream.destroy()
      closeController.signal.addEventListener('abort', stop, { once: true })
      if (!closeController.signal.aborted) yield* splitLines(inputStream)
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(new PipeClosed(error.message)) : resolve()))
      }),
  }
}

/** Maximum length of a file, standard input or one line of it, in bytes. A pipe or a device may never end. */
const maxInputBytes = 64 * 2 ** 20

const createInputTooLargeError = (): AppError =>
  new AppError('input.invalid', `The input is larger than ${maxInputBytes / 2 ** 20} MB.`)

/** Reads a text. Fails with `input.invalid` if it is too large, and closes the stream. */
export async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > maxInputBytes) throw createInputTooLargeError()
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Lines without line feeds. Text after the last line feed is a line too. */
async function* splitLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let lineParts: string[] = []
  let lineLength = 0
  for await (const chunk of bytes) {
    const [head = '', ...laterLines] = decoder.decode(chunk, { stream: true }).split('\n')
    lineParts.push(head)
    lineLength += head.length
    if (lineLength > maxInputBytes) throw createInputTooLargeError()
    for (const line of laterLines) {
      yield lineParts.join('')
      lineParts = [line]
      lineLength = line.length
    }
  }
  const lastLine = lineParts.join('') + decoder.decode()
  if (lastLine !== '') yield lastLine
}

export interface YesOption {
  readonly yes?: boolean
}

/** Prints consequences to standard error. Fails with `input.invalid` without `--yes`. */
export function confirm(output: Output, lines: readonly string[], { yes = false }: YesOption): void {
  for (const line of lines) output.err(`${toSingleLine(line)}\n`)
  if (!yes) throw inputError('Nothing was changed. Add --yes to do this.', 'yes')
}

/** Streams of a command. */
export interface Terminal {
  /** Standard input, opened on the first read. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** Asks in the terminal. Without a terminal, prints the question and answers no. */
export function terminalConfirm({ stdin, stderr: output }: Pick<Terminal, 'stdin' | 'stderr'>): Confirm {
  const confirmInTerminal: Confirm = async (question) => {
    const { message, detail, agree } = questionText(question, 'en')
    const input = stdin()
    output.write(`${message}\n\n${detail}\n\n`)
    if (input.isTTY !== true || output.isTTY !== true) return false
    const lines = createInterface({ input, output })
    try {
      const answer = await lines.question(`${agree}? Type yes to continue: `)
      return answer.trim().toLowerCase() === 'yes'
    } finally {
      lines.close()
    }
  }
  return queueConfirmations(confirmInTerminal, () => new Date())
}

const progressIntervalMs = 5_000

/** Prints progress to standard error while waiting. Resolves with the duration in whole seconds. */
export async function withProgress(output: Output, activity: string, wait: () => Promise<void>): Promise<number> {
  const startedAt = Date.now()
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1000)
  output.err(`${activity}. Ctrl+C stops waiting, the app continues.\n`)
  const progressTimer = setInterval(() => output.err(`${activity} (${seconds()} s).\n`), progressIntervalMs)
  try {
    await wait()
    return seconds()
  } finally {
    clearInterval(progressTimer)
  }
}
