import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { askInTurn, type Confirm } from '../consent/consent'
import { questionText } from '../consent/question-text'

interface Terminal {
  /** Taken when there is something to ask. */
  readonly input: () => Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/** Asks in the terminal. Without one the question is told and the answer is no. */
export function terminalConfirm({ input: openInput, output }: Terminal): Confirm {
  const ask: Confirm = async (question) => {
    const { message, detail, agree } = questionText(question, 'en')
    const input = openInput()
    output.write(`${message}\n\n${detail}\n\n`)
    if (input.isTTY !== true || output.isTTY !== true) return false
    const lines = createInterface({ input, output })
    try {
      const answer = await lines.question(`${agree}? Type yes to agree: `)
      return answer.trim().toLowerCase() === 'yes'
    } finally {
      lines.close()
    }
  }
  return askInTurn(ask, () => new Date())
}
