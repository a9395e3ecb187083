import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Machine } from './app'
import { cliPath } from './companion'

const ListeningMessage = z.strictObject({
  address: z.string(),
  port: z.number(),
  tools: z.array(z.strictObject({ toolId: z.string(), address: z.string(), token: z.string() })),
})

/** Running relays, which a spec stops after each test. */
const runningRelays: ChildProcess[] = []

/** Starts `companion relay --json`, and resolves with its first output line. */
export async function startRelay({ dataDir, env }: Machine, ...args: readonly string[]) {
  const command = [cliPath, '--data-dir', dataDir, 'relay', '--json', ...args]
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  runningRelays.push(child)
  const outputLines: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => outputLines.push(line))
  await Promise.race([once(lines, 'line'), once(child, 'exit')])
  const listeningMessage = ListeningMessage.parse(JSON.parse(outputLines[0] ?? '""'))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await once(child, 'exit')
    return { code, said: outputLines }
  }
  return {
    ...listeningMessage,
    stop,
    of: (toolId: string) => listeningMessage.tools.find((tool) => tool.toolId === toolId),
  }
}

/** Stops relays that a test left running. */
export function killRelays(): void {
  for (const child of runningRelays.splice(0)) child.kill('SIGKILL')
}
