import { join } from 'node:path'
import type { ParentPort } from 'electron'
import { runRelayProcess } from './relay/routing/relay-program'
import type { RelayEvent } from './relay/routing/relay-protocol'

/** Control messages: a port in Electron's utility process, or the IPC channel of a child process. */
const port: ParentPort | undefined = process.parentPort

const sendEvent = (word: RelayEvent): void => {
  if (port) port.postMessage(word)
  else process.send?.(word)
}

const program = runRelayProcess({
  workerPath: join(__dirname, 'usage.cjs'),
  countPath: join(__dirname, 'count.cjs'),
  say: sendEvent,
  exit: () => process.exit(),
})
if (port) port.on('message', ({ data }) => program.hear(data))
else process.on('message', (data) => program.hear(data))
// Electron 37 and later only warn about an unhandled rejection in a utility process.
process.on('unhandledRejection', (reason) => {
  throw reason
})
// When the app ends, nothing else stops this process.
process.on('disconnect', () => program.hear({ kind: 'stop' }))
