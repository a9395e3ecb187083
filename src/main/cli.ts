#!/usr/bin/env node
import { answerQuickly } from './cli/quick-answer'
import type { Terminal } from './cli/run-command'

// This file is an entry of the build; other modules may end up in any chunk and cannot say where they are.
const place = { outDir: __dirname, cliPath: __filename }

/** Runs one command to its end; its exit code is left in `process.exitCode`. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const program = await import('./cli/run-command')
  await program.runCommand(args, terminal, place)
}

/** Runs one command on the streams of this process. What coding tools call all the time is answered before anything else is loaded. */
export async function runHere(args: readonly string[]): Promise<void> {
  if (await answerQuickly(args)) return
  const program = await import('./cli/run-command')
  await program.runHere(args, place)
}

// Started as a program, not loaded by one.
if (require.main === module) void runHere(process.argv.slice(2))
