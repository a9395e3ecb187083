import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../../..')

/** Ways to open a connection that ignore this computer's proxy settings and certificates. */
const clients: readonly (readonly [string, RegExp])[] = [
  ['global fetch', /(?<![\w.#`])fetch\(|globalThis\.fetch|[=(,]\s*fetch\s*[,)]/],
  ['fetch of Electron', /(?:\bnet|\bsession|\))\s*\.fetch\(/],
  ['undici', /from 'undici'/],
  [
    'a client of node:http',
    /import (?!type\b)\{[^}]*\b(?:request|get)\b[^}]*\} from 'node:https?'|\bhttps?\.(?:request|get)\(/,
  ],
  ['an exporter of OpenTelemetry', /from '@opentelemetry\/exporter-\w+-otlp/],
  ['WebSocket or EventSource', /new (?:WebSocket|EventSource|XMLHttpRequest)\(/],
]

/** Files that may open connections directly, with the API that each may use. */
const allowedModules: Readonly<Record<string, readonly string[]>> = {
  'src/main/core/net/send.ts': ['global fetch', 'undici'],
  // These files only connect to local addresses, which never use a proxy.
  'src/main/platform/containers/check.ts': ['a client of node:http'],
  'src/main/relay/routing/mcp-backend.ts': ['a client of node:http'],
}

/** File with source code that the app shows to users but does not run. */
const samples = 'src/main/playground/code.ts'

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path) && path !== samples)

describe('requests of the app', () => {
  it('go through src/main/core/net only', () => {
    const networkImports = files.flatMap((path) => {
      // Ignore type imports, because they open no connection.
      const text = readFileSync(join(root, path), 'utf8').replace(/^import type .*$/gm, '')
      return clients
        .filter(([name, pattern]) => pattern.test(text) && !allowedModules[path]?.includes(name))
        .map(([name]) => `${path}: ${name}`)
    })
    expect(networkImports).toEqual([])
  })

  it.each([
    ['global fetch', 'const answer = await fetch(url)'],
    ['global fetch', 'probe(request, fetch)'],
    ['fetch of Electron', "session.fromPartition('x').fetch(url)"],
    ['undici', "import { fetch } from 'undici'"],
    ['a client of node:http', "import { request } from 'node:https'"],
    ['a client of node:http', 'https.request(url)'],
    ['an exporter of OpenTelemetry', "import { A } from '@opentelemetry/exporter-trace-otlp-proto'"],
    ['WebSocket or EventSource', 'new WebSocket(url)'],
  ])('are detected: %s in %j', (name, line) => {
    expect(clients.filter(([, pattern]) => pattern.test(line)).map(([clientName]) => clientName)).toContain(name)
  })
})
