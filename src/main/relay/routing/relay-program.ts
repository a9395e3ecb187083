import type { UsageErrorKind } from '@shared/contract'
import { AppError, type Failure, type FailureCode } from '@shared/failure'
import { launcherPath } from '../../core/launcher/launcher'
import { createTokenCounter } from '../../gateway/tokens/token-counter'
import { createLedger, type LedgerProblem } from '../../usage/ledger-client'
import type { LedgerEntry } from '../../usage/ports'
import type { RemainingSample } from '../../usage/quota/remaining'
import { readBudget } from '../budgets/budgets'
import { RelayTelemetry } from '../metrics/relay-telemetry'
import type { RelayOptions, RelayTable, UpstreamSwitch } from '../ports'
import { startRelay } from '../start-relay'
import { McpBackend } from './mcp-backend'
import { RelayCommand, type RelayEvent, type ToolTraffic } from './relay-protocol'

/** Worker scripts of the ledger and the token counter. */
interface WorkerPaths {
  readonly workerPath: string
  readonly countPath: string
}

interface RelayProgramOptions extends WorkerPaths, Pick<RelayOptions, 'port' | 'table' | 'caFiles' | 'onSwitch'> {
  readonly dataDir: string
  readonly onRecorded?: (entry: LedgerEntry) => void
  readonly onTrouble?: (trouble: LedgerProblem) => void
}

/** Starts a relay with ledger, token counter, metrics and MCP server. Rejects as `startRelay` does. */
export async function startRelayProgram({
  dataDir,
  workerPath,
  countPath,
  onRecorded,
  onTrouble = () => undefined,
  ...options
}: RelayProgramOptions) {
  const ledger = createLedger({ dataDir, workerPath, isBackground: true, onTrouble })
  const counter = createTokenCounter(countPath)
  const telemetry = new RelayTelemetry({ ledger, caFiles: options.caFiles })
  const mcp = new McpBackend(launcherPath({ dataDir, platform: process.platform }))
  telemetry.configure(options.table.metrics)
  const relay = await startRelay({
    ...options,
    record: (entry) => {
      onRecorded?.(entry)
      ledger.add([entry])
      telemetry.record(entry)
    },
    countTokens: (texts) => counter.count(texts),
    readBudget: (budget, span) => readBudget(ledger, budget, span),
    scrape: () => telemetry.scrape(),
    serveMcp: (...exchange) => mcp.serve(...exchange),
  }).catch(async (error: unknown) => {
    await ledger.close()
    throw error
  })
  return {
    port: relay.port,
    ledger,
    open: () => relay.open(),
    setTable(table: RelayTable): void {
      relay.setTable(table)
      telemetry.configure(table.metrics)
    },
    setRemaining: (samples: readonly RemainingSample[]): void => telemetry.setRemaining(samples),
    async close(graceMs: number): Promise<void> {
      await relay.close(graceMs)
      await mcp.close()
      await telemetry.close()
      await counter.end()
      await ledger.close()
    },
  }
}

/** Delay in ms before a utility process exits, because a message posted just before would be lost. */
const shutdownTimeoutMs = 100
/** Minimum interval of status messages in ms. */
const statusIntervalMs = 250
const shutdownGraceMs = 500

interface ProgramPorts extends WorkerPaths {
  readonly say: (word: RelayEvent) => void
  /** Exits the relay process. */
  readonly exit: () => void
}

/** The relay process. The first message starts it, later ones reconfigure it, and `stop` ends it. */
export function runRelayProcess({ say, exit, ...workers }: ProgramPorts): { hear(message: unknown): void } {
  const traffic = new Traffic()
  let starting: ReturnType<typeof startRelayProgram> | undefined
  let relay: Awaited<typeof starting>
  let lastStatus = ''
  const sendStatus = (): void => {
    const status = { tools: traffic.tools(relay?.open() ?? new Map()) }
    const text = JSON.stringify(status)
    if (text === lastStatus) return
    lastStatus = text
    say({ kind: 'status', ...status })
  }
  const timer = setInterval(sendStatus, statusIntervalMs)

  const start = async (options: Pick<RelayProgramOptions, 'dataDir' | 'port' | 'table' | 'caFiles'>): Promise<void> => {
    starting = startRelayProgram({
      ...options,
      ...workers,
      onRecorded: (entry) => traffic.note(entry),
      onSwitch: (toolId, overload) => traffic.noteSwitch(toolId, overload),
    })
    relay = await starting
    say({ kind: 'ready', port: relay.port })
  }
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    const started = await starting?.catch(() => undefined)
    await started?.close(shutdownGraceMs)
    exit()
  }
  const executeCommand = async (order: RelayCommand): Promise<void> => {
    if (order.kind === 'start') return start(order)
    if (order.kind === 'stop') return stop()
    // A failed start is reported by its own command.
    const started = await starting?.catch(() => undefined)
    if (order.kind === 'table') started?.setTable(order.table)
    if (order.kind === 'remaining') started?.setRemaining(order.samples)
  }
  return {
    hear(message) {
      const order = RelayCommand.safeParse(message)
      if (!order.success) return
      executeCommand(order.data).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        const failure: Failure = error instanceof AppError ? error.failure : { code: 'relay.failed', message }
        say({ kind: 'failed', failure })
        setTimeout(exit, shutdownTimeoutMs)
      })
    },
  }
}

/** Request counts of each tool since the relay started. */
class Traffic {
  readonly #tools = new Map<string, Omit<ToolTraffic, 'open'>>()

  note(entry: LedgerEntry): void {
    const { toolId, at, error } = entry
    if (toolId === undefined) return
    const { requests = 0, lastSwitch } = this.#tools.get(toolId) ?? {}
    const failure = error && toFailure(error, entry)
    this.#tools.set(toolId, { toolId, requests: requests + 1, lastAt: new Date(at).toISOString(), failure, lastSwitch })
  }

  noteSwitch(toolId: string, lastSwitch: UpstreamSwitch): void {
    this.#tools.set(toolId, { ...(this.#tools.get(toolId) ?? { toolId, requests: 0 }), lastSwitch })
  }

  /** `open`: number of running requests per tool, including tools without a finished request. */
  tools(open: ReadonlyMap<string, number>): ToolTraffic[] {
    return [...new Set([...this.#tools.keys(), ...open.keys()])].map((toolId) => ({
      ...(this.#tools.get(toolId) ?? { toolId, requests: 0 }),
      open: open.get(toolId) ?? 0,
    }))
  }
}

/** Failure code of a relayed request, and its message without the final full stop. */
const errorByKind: Readonly<Record<UsageErrorKind, readonly [FailureCode, string]>> = {
  key: ['gateway.keyRejected', 'The gateway refused the key'],
  plan: ['gateway.planExpired', 'The plan has expired or was deleted'],
  model: ['gateway.modelNotInPlan', 'The plan does not have the model'],
  path: ['gateway.wrongSuffix', 'The gateway has nothing at the path that was asked for'],
  quota: ['gateway.quotaExhausted', 'The allowance of the model is used up'],
  rateLimit: ['gateway.rateLimited', 'The gateway took too many requests'],
  badRequest: ['gateway.badRequest', 'The gateway refused what the tool sent'],
  server: ['gateway.serverError', 'The gateway failed'],
  network: ['net.other', 'The gateway could not be reached'],
  aborted: ['net.cancelled', 'The tool went away before the answer was complete'],
  cut: ['net.cut', 'The answer broke off'],
  relay: ['relay.failed', 'The relay itself refused the request'],
  budget: ['budget.usedUp', 'A budget is used up'],
}

function toFailure(error: UsageErrorKind, { status, modelCode }: LedgerEntry): Failure {
  const [code, sentence] = errorByKind[error]
  const modelText = modelCode === '' ? '' : ` (${modelCode})`
  return { code, message: `${sentence}${modelText}${status === undefined ? '' : `: ${status}`}.` }
}
