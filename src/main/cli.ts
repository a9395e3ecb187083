#!/usr/bin/env node
import type { Terminal } from './cli/output'
import { runFastCommand } from './cli/quick-answer'

// Paths are known only in this file, because it is a build entry. The bundler may move other modules into any file.
const programPaths = { outDir: __dirname, cliPath: __filename }

/** Runs one command and sets `process.exitCode`. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const program = await import('./cli/run-command')
  await program.runCommand(args, terminal, programPaths)
}

/** Runs one command with this process's streams. Answers frequent calls of coding tools before it loads more. */
export async function runCommandHere(args: readonly string[]): Promise<void> {
  if (await runFastCommand(args)) return
  const program = await import('./cli/run-command')
  await program.runCommandHere(args, programPaths)
}

// Runs only as a program, not when imported.
if (require.main === module) void runCommandHere(process.argv.slice(2))
