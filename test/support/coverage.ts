import type { ElectronApplication } from '@playwright/test'
import { z } from 'zod'
import { type AppHarness, test as atDesk } from './desk'
import { getScreen } from './screens'

/** Attachment name of the triggered operations. */
export const attachmentName = 'platform-operations'

/** Platform operations that the window requested, each with its screen and number of calls. */
export const Record = z.array(z.object({ operation: z.string(), screen: z.string(), times: z.number() }))
type Row = z.infer<typeof Record>[number]

const Calls = z.array(
  z.object({ atMs: z.number(), place: z.string(), name: z.string(), operation: z.string().optional() }),
)
type Calls = z.infer<typeof Calls>

const Requests = z.object({
  requests: z.array(
    z.object({ n: z.number(), at: z.iso.datetime(), status: z.number(), operation: z.string().optional() }),
  ),
})
type Request = z.infer<typeof Requests>['requests'][number]

/** Records every call of the window with its current screen. */
async function watchCalls(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ ipcMain }) => {
    const calls: unknown[] = []
    Object.assign(globalThis, { callsOfWindow: calls })
    type Handler = (event: Electron.IpcMainInvokeEvent, name: string, input: unknown) => unknown
    // Wraps the handlers in Electron's private map, so that the test sees every call.
    const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, Handler> })._invokeHandlers
    for (const [channel, handler] of handlers) {
      handlers.set(channel, (event, name, input) => {
        const calledOperation: unknown =
          typeof input === 'object' && input !== null ? Reflect.get(input, 'operation') : undefined
        const operation = typeof calledOperation === 'string' ? { operation: calledOperation } : {}
        calls.push({ atMs: Date.now(), place: new URL(event.sender.getURL()).hash, name, ...operation })
        return handler(event, name, input)
      })
    }
  })
}

const readCalls = async (app: ElectronApplication): Promise<Calls> =>
  Calls.parse(await app.evaluate(() => Reflect.get(globalThis, 'callsOfWindow')))

/** Tolerance in ms for the difference between the platform's clock and the test's. */
const clockMs = 100

/** Bridge methods per operation. Calls of the playground do not name the operation. */
const runs: Readonly<Record<string, readonly string[]>> = {
  'inference.chatCompletions': ['playground.send', 'playground.regenerate', 'playground.runComparison'],
  'inference.completions': ['playground.complete'],
  'inference.embeddings': ['playground.embed'],
}

/** Finds the call of the window that caused a request, which is the latest one for its operation. */
function findCause({ operation = '' }: Request, atMs: number, calls: Calls): Calls[number] | undefined {
  const callsOperation = (call: Calls[number]): boolean =>
    call.operation === operation || (runs[operation]?.includes(call.name) ?? false)
  return calls.findLast((call) => callsOperation(call) && call.atMs <= atMs + clockMs)
}

/** Matches the requests that the sandbox received with the calls of the window. */
class CallRecorder {
  readonly #desk: AppHarness
  readonly #rows = new Map<string, Row>()
  #last = 0

  constructor(harness: AppHarness) {
    this.#desk = harness
  }

  /** Processes the requests that the sandbox received since the last call. */
  async look(): Promise<void> {
    const clockOffsetMs = Date.parse((await this.#desk.state()).clock) - Date.now()
    const path = `/requests?area=platform&after=${this.#last}`
    const { requests } = Requests.parse(await this.#desk.control(path))
    const calls = await readCalls(this.#desk.app())
    for (const request of requests)
      this.#take(request, findCause(request, Date.parse(request.at) - clockOffsetMs, calls))
    this.#last = requests.at(-1)?.n ?? this.#last
  }

  #take({ operation, status }: Request, cause: Calls[number] | undefined): void {
    if (operation === undefined || status >= 400 || cause === undefined) return
    const screen = getScreen(cause.place)
    const key = `${operation} ${screen}`
    this.#rows.set(key, { operation, screen, times: (this.#rows.get(key)?.times ?? 0) + 1 })
  }

  rows(): readonly Row[] {
    return [...this.#rows.values()]
  }
}

/** Control operations that change the time. Earlier requests must be processed before them. */
const timeChangingPaths = ['/clock', '/reset']

/**
 * Tests that record which platform operations the window triggered, and on which screens. The reporter
 * (coverage-reporter.ts) creates docs/coverage.md from it. A spec only needs to import `test` from here.
 */
export const test = atDesk.extend<{ harness: AppHarness }>({
  harness: async ({ harness }, use, testInfo) => {
    const callWatch = new CallRecorder(harness)
    let isRunning = false
    const sampleCoverage = async (): Promise<void> => {
      if (isRunning) await callWatch.look()
    }
    await use({
      ...harness,
      async start() {
        const page = await harness.start()
        await watchCalls(harness.app())
        isRunning = true
        return page
      },
      async quit() {
        await sampleCoverage()
        isRunning = false
        await harness.quit()
      },
      async control(path, body) {
        if (timeChangingPaths.includes(path)) await sampleCoverage()
        return harness.control(path, body)
      },
    })
    await sampleCoverage()
    await testInfo.attach(attachmentName, { body: JSON.stringify(callWatch.rows()), contentType: 'application/json' })
  },
})

export * from './desk'
