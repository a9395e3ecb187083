import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isSuperuser } from '../../scripts/lib/project.mjs'
import { startProxy, startSocksProxy, type TestProxy } from '../unit/main/core/net/test-proxy'
import { close, listen } from '../unit/main/gateway/answering-server'

/** User and password of both proxies. */
export const proxyUser = 'lan:p%40ss'

/** A network namespace whose only ways outside are two proxies. Records all other lookups and connections. */
export interface CompanyNetwork {
  readonly http: TestProxy
  readonly socks: TestProxy
  /** Returns name lookups and connections past the proxies since the last call. */
  readonly takeStrays: () => Promise<string[]>
  /** Wraps a command to run in the network. */
  readonly inside: (command: readonly string[]) => readonly [string, string[]]
  stop(): Promise<void>
}

interface Site {
  readonly identity: { readonly key: string; readonly cert: string }
  /** Local address of each host that the proxies reach. */
  readonly hosts: Readonly<Record<string, string>>
}

/**
 * Program inside the namespace. Forwards the proxies' ports to Unix sockets, which work across namespaces. Answers every
 * lookup, and records connections to port 443 of any address, because all addresses are local there.
 */
const guard = `
const { createServer, connect } = require('node:net')
const [folder] = process.argv.slice(1)
const say = (text) => process.stdout.write(text + '\\n')
const bridge = (port, name) => createServer((socket) => {
  const upstream = connect(folder + '/' + name)
  for (const end of [socket, upstream]) end.on('error', () => { socket.destroy(); upstream.destroy() })
  socket.pipe(upstream).pipe(socket)
}).listen(port, '127.0.0.1')
bridge(3128, 'http')
bridge(1080, 'socks')
createServer((socket) => { say('connection to ' + socket.localAddress); socket.destroy() }).listen(443, '::')
const names = require('node:dgram').createSocket('udp4')
names.on('message', (query, { port, address }) => {
  say('lookup of ' + query.subarray(12, query.indexOf(0, 12)).toString('latin1').replace(/[^\\w-]/g, '.'))
  const end = query.indexOf(0, 12) + 5
  const isAddress = query[end - 3] === 1
  const answer = Buffer.concat([
    query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]), query.subarray(12, end),
    isAddress ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]) : Buffer.alloc(0),
  ])
  names.send(answer, port, address)
})
names.bind(53, '0.0.0.0', () => say('ready'))
process.stdin.on('data', () => say('taken'))
`

const enter = isSuperuser ? ['--net'] : ['--map-current-user', '--keep-caps', '--net']
const routes = 'ip link set lo up && ip route add local default dev lo && exec "$@"'

/** Starts the network. Returns undefined where namespaces are not allowed. */
export async function startCompanyNetwork({ identity, hosts }: Site): Promise<CompanyNetwork | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'company-'))
  const front = createSecureServer(identity, (request, response) => {
    const target = hosts[request.headers.host ?? '']
    const { method, url, headers } = request
    // The sandbox accepts its own host name only.
    const host = new URL(target ?? '').host
    const forwarded = httpRequest(`${target}${url}`, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  const targetPort = await listen(front)
  const http = await startProxy({ targetPort })
  const socks = await startSocksProxy({ targetPort, user: decodeURIComponent(proxyUser) })
  const bridges = [http, socks].map(({ host }, index) =>
    createServer((socket) => {
      const upstream = connect(Number(host.split(':')[1]), '127.0.0.1')
      for (const end of [socket, upstream])
        end.on('error', () => {
          socket.destroy()
          upstream.destroy()
        })
      socket.pipe(upstream).pipe(socket)
    }).listen(join(folder, index === 0 ? 'http' : 'socks')),
  )
  const holder = spawn('unshare', [...enter, 'sh', '-c', routes, 'sh', process.execPath, '-e', guard, folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const stop = async (): Promise<void> => {
    holder.kill('SIGKILL')
    for (const bridge of bridges) bridge.close()
    await Promise.all([http.close(), socks.close()])
    front.closeAllConnections()
    await close(front)
    rmSync(folder, { recursive: true, force: true })
  }
  const lines = readLines(holder)
  if ((await lines.until('ready')) === undefined) {
    await stop()
    return undefined
  }
  const joinOptions = isSuperuser ? ['--net'] : ['--user', '--preserve-credentials', '--net']
  return {
    http,
    socks,
    stop,
    inside: (command) => ['nsenter', [`--target=${holder.pid}`, ...joinOptions, ...command]],
    async takeStrays() {
      holder.stdin?.write('.')
      return (await lines.until('taken')) ?? ['The network ended.']
    },
  }
}

/** Lines of a process up to a mark. Undefined if it ends before. */
function readLines({ stdout }: ChildProcess) {
  const reader = stdout && createInterface({ input: stdout })[Symbol.asyncIterator]()
  return {
    async until(mark: string): Promise<string[] | undefined> {
      const seen: string[] = []
      for (;;) {
        const next = await reader?.next()
        if (next === undefined || next.done) return undefined
        if (next.value === mark) return seen
        seen.push(next.value)
      }
    },
  }
}
