import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { close, listen } from '../gateway/answering-server'

/** A real HTTP proxy on loopback that tunnels to a port of this machine, whatever host it is asked for. */
export interface TestProxy {
  readonly url: string
  readonly host: string
  /** What it was asked for, as `CONNECT host:port`, with its credentials. */
  readonly asked: { readonly line: string; readonly authorization: string | undefined }[]
  close(): Promise<void>
}

export interface ProxyBehaviour {
  readonly targetPort: number
  /** Refuses every tunnel with this status. */
  readonly refuseWith?: number
  /** Speaks TLS itself. */
  readonly identity?: { readonly key: string; readonly cert: string }
}

export async function startProxy({ targetPort, refuseWith, identity }: ProxyBehaviour): Promise<TestProxy> {
  const asked: TestProxy['asked'] = []
  const sockets = new Set<Socket>()
  const server: Server = identity === undefined ? createServer() : createSecureServer(identity)
  server.on('connect', (request, socket: Socket) => {
    asked.push({ line: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] })
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
    asked,
    url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await close(server)
    },
  }
}
