import { Agent, createServer, request } from 'node:http'

/**
 * Baseline for the relay: a node:http pass-through with keep-alive on both sides and no checks. Gets the gateway's
 * port as an argument, and exits with its parent.
 */
const gatewayPort = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

const server = createServer((incoming, response) => {
  const { method, url, headers } = incoming
  const options = { host: '127.0.0.1', port: gatewayPort, path: url, method, headers, agent }
  const outgoingRequest = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  outgoingRequest.on('error', () => response.destroy())
  response.on('close', () => {
    if (!response.writableFinished) outgoingRequest.destroy()
  })
  incoming.pipe(outgoingRequest)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ kind: 'ready', port: typeof address === 'object' && address ? address.port : 0 })
})
process.on('disconnect', () => process.exit())
