import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from './context'
import type { RelayOptions, RelayThreads } from './relay-run'

/** `companion relay`. The relay itself is loaded by it alone; `threads` are the built files it needs. */
export function addRelayCommand(program: Command, context: () => CommandContext, threads: RelayThreads): void {
  program
    .command('relay')
    .option('--port <port>', "local port (0: any free port, default: the app's)", readPort)
    .option('--plan <plan>', 'plan for tools without one, by name or id (uses its newest active key)')
    .option('--tool <id...>', 'only these tools (default: tools that use the relay, with --plan every tool)')
    .description('run the relay without the app until Ctrl+C (--json prints its address and the tokens of tools)')
    .action(async (options: RelayOptions) => {
      const { runRelay } = await import('./relay-run')
      await runRelay(context(), options, threads)
    })
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port === 0 || (port >= 1024 && port <= 65_535)) return port
  throw new InvalidArgumentError('Enter 0, or a port from 1024 to 65535.')
}
