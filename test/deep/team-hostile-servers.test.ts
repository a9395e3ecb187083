import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureBuild } from '../../scripts/ensure-build.mjs'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { hostileServers, startHostileServer } from '../support/hostile-postgres'
import { watchMemory } from '../support/watch-memory'

const maxMb = 300
/** Connecting takes at most 10 s, a statement 15 s, closing 1 s. The start takes a few seconds on a busy machine. */
const maxMs = 32_000

const home = mkdtempSync(join(tmpdir(), 'companion-hostile-servers-'))
beforeAll(ensureBuild, 120_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

it.concurrent.each(Object.keys(hostileServers))(
  'the command line ends with one sentence, in time and with little memory, when a server %s',
  async (name) => {
    const server = await startHostileServer(hostileServers[name] ?? (() => undefined))
    const address = `postgres://an@127.0.0.1:${server.port}/space`
    const createArgs = ['team', 'create', address, '--name', 'Atelier', '--person', 'An', '--password-stdin']
    const startedMs = performance.now()
    const command = [resolveFromRoot('out/main/cli.cjs'), '--data-dir', join(home, name), ...createArgs]
    const child = spawn(process.execPath, command, { env: { ...process.env, HOME: home } })
    child.stdin.end('pw-an')
    const memory = watchMemory(child.pid)
    const killTimer = setTimeout(() => child.kill('SIGKILL'), maxMs)
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    memory.stop()
    clearTimeout(killTimer)
    server.end()
    console.log(
      `${name}: ${Math.round(performance.now() - startedMs)} ms, ${Math.round(memory.peak())} MB: ${err.trim()}`,
    )
    expect({ out, err, status }).toEqual({
      out: '',
      err: expect.stringMatching(
        /^companion: The (?:database at 127\.0\.0\.1:\d+|connection pooler) [\x20-\x7e]+\.\n$/,
      ),
      status: 1,
    })
    expect(memory.peak()).toBeGreaterThan(0)
    expect(memory.peak()).toBeLessThan(maxMb)
  },
  60_000,
)
