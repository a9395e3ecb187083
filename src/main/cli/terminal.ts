import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { AppError } from '@shared/failure'
import { type Confirm, queueConfirmations } from '../core/consent/consent'
import { questionText } from '../core/consent/question-text'
import { type Output, toSingleLine } from './output'

export interface YesOption {
  readonly yes?: boolean
}

/** Prints consequences to standard error. Fails with `input.invalid` without `--yes`. */
export function confirm(output: Output, lines: readonly string[], { yes = false }: YesOption): void {
  for (const line of lines) output.err(`${toSingleLine(line)}\n`)
  if (!yes) throw new AppError('input.invalid', 'Nothing was changed. Add --yes to do this.', { field: 'yes' })
}

interface Terminal {
  /** Standard input, opened on the first question. */
  readonly input: () => Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/** Asks in the terminal. Without a terminal, prints the question and answers no. */
export function terminalConfirm({ input: openInput, output }: Terminal): Confirm {
  const confirmInTerminal: Confirm = async (question) => {
    const { message, detail, agree } = questionText(question, 'en')
    const input = openInput()
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
