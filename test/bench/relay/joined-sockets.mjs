import { connect, createServer } from 'node:net'

/**
 * The least that a program of Node between tool and gateway can cost: two sockets joined, which knows nothing of HTTP. The
 * process is told its gateway's port, and ends with its parent.
 */
const gatewayPort = Number(process.argv[2])

const server = createServer({ noDelay: true }, (tool) => {
  const gateway = connect({ port: gatewayPort, host: '127.0.0.1', noDelay: true })
  tool.pipe(gateway).pipe(tool)
  tool.on('error', () => gateway.destroy()).on('close', () => gateway.destroy())
  gateway.on('error', () => tool.destroy()).on('close', () => tool.destroy())
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ kind: 'ready', port: typeof address === 'object' && address ? address.port : 0 })
})
process.on('disconnect', () => process.exit())
