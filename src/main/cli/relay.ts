import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from './context'
import type { RelayOptions, RelayThreads } from './relay-run'

/** `companion relay`. The relay itself is loaded by it alone; `threads` are the built files it needs. */
export function addRelayCommand(program: Command, context: () => CommandContext, threads: RelayThreads): void {
  program
    .command('relay')
    .option('--port <port>', "port of this machine (0: a free one; default: the app's)", readPort)
    .option('--plan <plan>', 'name or id of the plan for tools that have none yet; its newest active key serves them')
    .option('--tool <id...>', 'these tools only (default: those that go through the relay; with --plan, every tool)')
    .description(
      'run the relay until Ctrl+C, without the app; with --json it prints its address and the tokens of tools',
    )
    .action(async (options: RelayOptions) => {
      const { runRelay } = await import('./relay-run')
      await runRelay(context(), options, threads)
    })
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port === 0 || (port >= 1024 && port <= 65_535)) return port
  throw new InvalidArgumentError('Give 0, or a port from 1024 to 65535.')
}
