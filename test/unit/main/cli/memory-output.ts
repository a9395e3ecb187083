import { AppError } from '@shared/failure'
import type { Command } from 'commander'
import type { Output } from '../../../../src/main/cli/output'

/** An output that records its writes. */
export interface MemoryOutput extends Output {
  stdout(): string
  stderr(): string
}

export function memoryOutput({ isJson = false } = {}): MemoryOutput {
  const outputText = { out: '', err: '' }
  return {
    isJson,
    hasColour: false,
    out: (text) => {
      outputText.out += text
    },
    err: (text) => {
      outputText.err += text
    },
    stdout: () => outputText.out,
    stderr: () => outputText.err,
  }
}

/** Runs a command of a program whose parser throws instead of exiting. Returns the error and the exit code. */
export async function parseCommand(program: Command, output: Output, args: readonly string[]) {
  for (const command of [program, ...program.commands, ...program.commands.flatMap((group) => group.commands)])
    command.exitOverride().configureOutput({ writeOut: output.out, writeErr: output.err })
  const failure: unknown = await program.parseAsync(['node', 'companion', ...args]).then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.failure : error),
  )
  const code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { failure, code }
}
