import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { SandboxReady } from '../../src/main/sandbox/host'
import { root } from './app'
import { askControl } from './control'

const Requests = z.object({
  requests: z.array(z.object({ method: z.string(), path: z.string(), status: z.number() })),
})

/** A sandbox gateway in a process of its own, for tests, and a way to its control surface. */
export interface TestSandbox {
  readonly ready: SandboxReady
  control(path: string, body?: unknown): Promise<unknown>
  requestLines(): Promise<string[]>
  stop(): Promise<void>
}

/** Starts the built sandbox on free ports. */
export async function startSandbox(): Promise<TestSandbox> {
  const args = [join(root, 'out/main/sandbox.cjs'), '--gateway-port', '0', '--platform-port', '0', '--json']
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  if (!child.stdout) throw new Error('no output')
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line')
  const ready = SandboxReady.parse(JSON.parse(String(line)))
  const control = (path: string, body?: unknown): Promise<unknown> => askControl(ready, path, body)
  return {
    ready,
    control,
    async requestLines() {
      const rows = Requests.parse(await control('/requests')).requests
      return rows.map(({ method, path, status }) => `${method} ${path} ${status}`)
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
