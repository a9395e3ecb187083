import { createServer } from 'node:http'

/**
 * Baseline for the gateway: parses a JSON body and sends a fixed JSON answer. The parent sends the answer and receives
 * the port. The process exits with its parent.
 */
process.once('message', (answer) => {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      JSON.parse(text)
      const body = JSON.stringify(answer)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
  })
})
process.on('disconnect', () => process.exit())
