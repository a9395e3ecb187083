import { Agent, createServer, request } from 'node:http'

/**
 * What the relay is compared with: a pass-through of node:http, with kept connections on both sides, that checks and
 * counts nothing. The process is told its gateway's port, and ends with its parent.
 */
const gatewayPort = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

const server = createServer((incoming, response) => {
  const { method, url, headers } = incoming
  const options = { host: '127.0.0.1', port: gatewayPort, path: url, method, headers, agent }
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy()
  })
  incoming.pipe(outgoing)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ kind: 'ready', port: typeof address === 'object' && address ? address.port : 0 })
})
process.on('disconnect', () => process.exit())
