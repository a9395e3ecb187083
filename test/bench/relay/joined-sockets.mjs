import { connect, createServer } from 'node:net'

/**
 * Lower bound for a Node program between tool and gateway: two joined sockets without HTTP. Gets the gateway's port as
 * an argument, and exits with its parent.
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
