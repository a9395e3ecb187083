import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { close, listen } from '../../gateway/answering-server'

/** A real HTTP proxy on loopback that tunnels to one local port, whatever the requested host. */
export interface TestProxy {
  readonly url: string
  readonly host: string
  /** Received requests: the `CONNECT host:port` line and the credentials. */
  readonly asked: { readonly line: string; readonly authorization: string | undefined }[]
  close(): Promise<void>
}

interface ProxyBehaviour {
  readonly targetPort: number
  /** HTTP status with which the proxy rejects every tunnel. */
  readonly refuseWith?: number
  /** Key and certificate of a proxy that itself uses TLS. */
  readonly identity?: { readonly key: string; readonly cert: string }
}

export async function startProxy({ targetPort, refuseWith, identity }: ProxyBehaviour): Promise<TestProxy> {
  const asked: TestProxy['asked'] = []
  const server: HttpServer = identity === undefined ? createServer() : createSecureServer(identity)
  server.on('connect', (request, socket: Socket) => {
    asked.push({ line: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] })
    socket.on('error', () => socket.destroy())
    if (refuseWith !== undefined) socket.end(`HTTP/1.1 ${refuseWith} No\r\ncontent-length: 0\r\n\r\n`)
    else openTunnel(socket, targetPort, 'HTTP/1.1 200 Connection established\r\n\r\n')
  })
  return { asked, ...(await listenAsProxy(server, identity === undefined ? 'http' : 'https')) }
}

/** Starts a proxy on loopback whose connections end when it is closed. */
async function listenAsProxy(server: Server, scheme: string): Promise<Omit<TestProxy, 'asked'>> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  const host = `127.0.0.1:${await listen(server)}`
  const closeProxy = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await close(server)
  }
  return { url: `${scheme}://${host}`, host, close: closeProxy }
}

/** Connects a client of a proxy to a local port. The client first gets the proxy's answer. */
function openTunnel(client: Socket, port: number, answer: string | Buffer): void {
  const target = connect(port, '127.0.0.1', () => {
    client.write(answer)
    target.pipe(client).pipe(target)
  })
  target.on('error', () => client.destroy())
  client.on('close', () => target.destroy())
}

interface SocksBehaviour {
  readonly targetPort: number
  /** Required SOCKS 5 credentials in the form `name:password`. */
  readonly user?: string
  readonly refuses?: boolean
}

/** A SOCKS 4a and 5 proxy on loopback that connects to one local port, whatever the requested host. */
export async function startSocksProxy({ targetPort, user, refuses = false }: SocksBehaviour): Promise<TestProxy> {
  const asked: TestProxy['asked'] = []
  const server = createSocketServer((socket) => {
    socket.on('error', () => socket.destroy())
    void negotiateProxy(socket).catch(() => socket.destroy())
  })
  const negotiateProxy = async (socket: Socket): Promise<void> => {
    const readBytes = reader(socket)
    const [version = 0] = await readBytes(1)
    const { line, answer, authorization } =
      version === 4 ? await readSocks4(readBytes) : await readSocks5(readBytes, socket, user)
    asked.push({ line, authorization })
    if (refuses || (version === 5 && authorization !== user)) socket.end(answer(false))
    else openTunnel(socket, targetPort, answer(true))
  }
  return { asked, ...(await listenAsProxy(server, 'socks5')) }
}

type ReadBytes = (bytes: number) => Promise<Buffer>

/** Reads exactly this many bytes and leaves the others in the stream. */
const reader =
  (socket: Socket): ReadBytes =>
  async (bytes) => {
    for (;;) {
      const chunk: Buffer | null = socket.read(bytes)
      if (chunk !== null) return chunk
      await once(socket, 'readable')
    }
  }

interface ProxiedRequest {
  readonly line: string
  readonly authorization: string | undefined
  readonly answer: (isGranted: boolean) => Buffer
}

async function readSocks4(read: ReadBytes): Promise<ProxiedRequest> {
  const head = await read(7)
  const readText = async (): Promise<string> => {
    let text = ''
    for (let byte = await read(1); byte[0] !== 0; byte = await read(1)) text += byte.toString()
    return text
  }
  const user = await readText()
  const hasName = head[3] === 0 && head[4] === 0 && head[5] === 0
  const host = hasName ? await readText() : [...head.subarray(3)].join('.')
  return {
    line: `SOCKS4 ${host}:${head.readUInt16BE(1)}`,
    authorization: user || undefined,
    answer: (isGranted) => Buffer.from([0, isGranted ? 90 : 91, 0, 0, 0, 0, 0, 0]),
  }
}

async function readSocks5(read: ReadBytes, socket: Socket, user: string | undefined): Promise<ProxiedRequest> {
  const [methods = 0] = await read(1)
  await read(methods)
  socket.write(Buffer.from([5, user === undefined ? 0 : 2]))
  let authorization: string | undefined
  if (user !== undefined) {
    const readText = async (): Promise<string> => (await read((await read(1))[0] ?? 0)).toString()
    await read(1)
    authorization = `${await readText()}:${await readText()}`
    socket.write(Buffer.from([1, 0]))
  }
  const [, , , kind] = await read(4)
  const host =
    kind === 3 ? (await read((await read(1))[0] ?? 0)).toString() : [...(await read(kind === 4 ? 16 : 4))].join('.')
  const port = (await read(2)).readUInt16BE(0)
  return {
    line: `SOCKS5 ${host}:${port}`,
    authorization,
    answer: (isGranted) => Buffer.from([5, isGranted ? 0 : 2, 0, 1, 0, 0, 0, 0, 0, 0]),
  }
}
