import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { SandboxReady } from '../../src/main/app/sandbox'
import { test as base, root } from './app'
import { callControl } from './control'

const Requests = z.object({
  requests: z.array(z.object({ method: z.string(), path: z.string(), status: z.number() })),
})
const SandboxSettings = z.object({ timing: z.record(z.string(), z.number()) })

/** A sandbox in a separate process, with its control API. */
export interface TestSandbox {
  readonly ready: SandboxReady
  control(path: string, body?: unknown): Promise<unknown>
  /** All requests to the gateway, oldest first, as `POST /v1/messages 200`. */
  requestLines(): Promise<string[]>
  /** Requests to models. Unlike `requestLines`, omits requests for lists of models, which cost nothing. */
  completionLines(): Promise<string[]>
  stop(): Promise<void>
}

/** Starts the built sandbox on free ports. */
export async function startSandbox(): Promise<TestSandbox> {
  const args = [join(root, 'out/main/sandbox.cjs'), '--gateway-port', '0', '--platform-port', '0', '--json']
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  if (!child.stdout) throw new Error('no output')
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line')
  const readyMessage = SandboxReady.parse(JSON.parse(String(line)))
  const postControl = (path: string, body?: unknown): Promise<unknown> => callControl(readyMessage, path, body)
  const requestLines = async () => {
    const rows = Requests.parse(await postControl('/requests')).requests
    return rows.map(({ method, path, status }) => `${method} ${path} ${status}`)
  }
  return {
    ready: readyMessage,
    control: postControl,
    requestLines,
    completionLines: async () => (await requestLines()).filter((row) => row.startsWith('POST ')),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** The sandbox of a worker, shared by its tests until one stops it. */
export class WorkerSandbox {
  #running: { readonly sandbox: TestSandbox; readonly timing: unknown } | undefined

  /** A freshly reset sandbox: seeded data, no faults, no requests, default timing. */
  async fresh(): Promise<TestSandbox> {
    if (this.#running) {
      const { sandbox, timing } = this.#running
      await sandbox.control('/reset', {})
      await sandbox.control('/timing', timing)
      return sandbox
    }
    const sandboxProcess = await startSandbox()
    const sandbox = {
      ...sandboxProcess,
      stop: async () => {
        this.#running = undefined
        await sandboxProcess.stop()
      },
    }
    this.#running = { sandbox, timing: SandboxSettings.parse(await sandbox.control('/state')).timing }
    return sandbox
  }

  async end(): Promise<void> {
    await this.#running?.sandbox.stop()
  }
}

/** Tests with a freshly reset sandbox outside the app. */
export const test = base.extend<{ sandbox: TestSandbox }, { workerSandbox: WorkerSandbox }>({
  workerSandbox: [
    async ({ browserName: _ }, use) => {
      const workerSandbox = new WorkerSandbox()
      await use(workerSandbox)
      await workerSandbox.end()
    },
    { scope: 'worker' },
  ],
  sandbox: async ({ workerSandbox }, use) => use(await workerSandbox.fresh()),
})
