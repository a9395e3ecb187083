import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Machine } from './app'
import { cliPath } from './companion'

const Listening = z.strictObject({
  address: z.string(),
  port: z.number(),
  tools: z.array(z.strictObject({ toolId: z.string(), address: z.string(), token: z.string() })),
})

/** Running relays, which a spec stops after each test. */
const running: ChildProcess[] = []

/** Starts `companion relay --json`, and resolves with its first output line. */
export async function startRelay({ dataDir, env }: Machine, ...args: readonly string[]) {
  const command = [cliPath, '--data-dir', dataDir, 'relay', '--json', ...args]
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  const said: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => said.push(line))
  await Promise.race([once(lines, 'line'), once(child, 'exit')])
  const listening = Listening.parse(JSON.parse(said[0] ?? '""'))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await once(child, 'exit')
    return { code, said }
  }
  return { ...listening, stop, of: (toolId: string) => listening.tools.find((tool) => tool.toolId === toolId) }
}

/** Stops relays that a test left running. */
export function endRelays(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL')
}
