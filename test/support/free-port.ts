import { createServer } from 'node:net'

/** First port for tests. Below the ephemeral ports of Linux, macOS and Windows, which outgoing connections use. */
const firstPort = 20_000
const portsPerWorker = 1000

const worker = Number(process.env.TEST_PARALLEL_INDEX ?? 0)
let nextOffset = process.pid % portsPerWorker

function isPortFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Returns a free port. Each test worker has its own range, so no port is returned twice. */
export async function freePort(): Promise<number> {
  for (let tryCount = 0; tryCount < portsPerWorker; tryCount += 1) {
    const port = firstPort + (worker % 10) * portsPerWorker + nextOffset
    nextOffset = (nextOffset + 1) % portsPerWorker
    if (await isPortFree(port)) return port
  }
  throw new Error('No port is free.')
}
