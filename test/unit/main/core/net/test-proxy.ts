import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer as createSocketServer, type Socket } from 'node:net'
import { close, listen } from '../../gateway/answering-server'

/** A real HTTP proxy on loopback that tunnels to one local port, whatever the requested host. */
export interface TestProxy {
  readonly url: string
  readonly host: string
  /** Received requests: the `CONNECT host:port` line and the credentials. */
  readonly asked: { readonly line: string; readonly authorization: string | undefined }[]
  close(): Promise<void>
}

export interface ProxyBehaviour {
  readonly targetPort: number
  /** HTTP status with which the proxy rejects every tunnel. */
  readonly refuseWith?: number
  /** Key and certificate of a proxy that itself uses TLS. */
  readonly identity?: { readonly key: string; readonly cert: string }
}

export async function startProxy({ targetPort, refuseWith, identity }: ProxyBehaviour): Promise<TestProxy> {
  const requests: TestProxy['asked'] = []
  const sockets = new Set<Socket>()
  const server: Server = identity === undefined ? createServer() : createSecureServer(identity)
  server.on('connect', (request, socket: Socket) => {
    requests.push({ line: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] })
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    if (refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${refuseWith} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const target = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    sockets.add(target)
    target.on('error', () => socket.destroy())
  })
  const port = await listen(server)
  return {
    asked: requests,
    url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await close(server)
    },
  }
}

/** A SOCKS 4a and 5 proxy on loopback that connects to one local port, whatever the requested host. */
export async function startSocksProxy({
  targetPort,
  user,
  refuses = false,
}: {
  readonly targetPort: number
  /** Required SOCKS 5 credentials in the form `name:password`. */
  readonly user?: string
  readonly refuses?: boolean
}): Promise<TestProxy> {
  const requests: TestProxy['asked'] = []
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    void negotiateProxy(socket).catch(() => socket.destroy())
  })
  const negotiateProxy = async (socket: Socket): Promise<void> => {
    const readBytes = reader(socket)
    const [version = 0] = await readBytes(1)
    const { line, answer, authorization } =
      version === 4 ? await readSocks4(readBytes) : await readSocks5(readBytes, socket, user)
    requests.push({ line, authorization })
    if (refuses || (version === 5 && authorization !== user)) {
      socket.end(answer(false))
      return
    }
    const target = connect(targetPort, '127.0.0.1', () => {
      socket.write(answer(true))
      target.pipe(socket).pipe(target)
    })
    sockets.add(target)
    target.on('error', () => socket.destroy())
  }
  const port = await listen(server)
  return {
    asked: requests,
    url: `socks5://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await close(server)
    },
  }
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
