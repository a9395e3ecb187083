import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostileServers, startHostileServer } from '../support/hostile-postgres'
import { buildProgram } from '../support/state-writers'
import { folderBesideModules } from '../unit/support/folders'

const maxBytes = 300_000_000
/** Connecting takes at most 10 s, a statement 15 s, closing 1 s. */
const maxMs = 26_000

let folder = ''
let program = ''

beforeAll(async () => {
  folder = await folderBesideModules('team-client')
  program = await buildProgram(resolve(import.meta.dirname, '../support/team-client.ts'), folder)
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Peak memory of a process, from the system. */
function peakBytes(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

it.concurrent.each(Object.keys(hostileServers))(
  'ends with one failure, in time and with little memory, when a server %s',
  async (name) => {
    const server = await startHostileServer(hostileServers[name] ?? (() => undefined))
    const startedMs = performance.now()
    const child = spawn(process.execPath, [program, String(server.port)], { stdio: ['ignore', 'pipe', 'pipe'] })
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, peakBytes(child.pid))
    }, 20)
    const killTimer = setTimeout(() => child.kill('SIGKILL'), maxMs)
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    clearInterval(watch)
    clearTimeout(killTimer)
    server.end()
    console.log(`${name}: ${out}, ${Math.round(performance.now() - startedMs)} ms, ${Math.round(peak / 1e6)} MB`)
    expect({ out, err, status }).toEqual({
      out: expect.stringMatching(/^team\.(unreachable|unreadable|rejected|notAllowed)$/),
      err: '',
      status: 0,
    })
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(maxBytes)
  },
  60_000,
)
