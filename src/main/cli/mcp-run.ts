import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createMcpServices } from '../compose/mcp'
import { createPlayground } from '../compose/playground'
import { Calls } from '../mcp/calls'
import { createMcpServer, type McpServerOptions } from '../mcp/server'
import { serveOverStdio } from '../mcp/stdio'
import { createPlaygroundStore } from '../playground/store-client'
import { BudgetMeter } from '../relay/budget-meter'
import { readBudget, relayBudgets } from '../relay/budgets/budgets'
import type { LedgerEntry } from '../usage/ports'
import type { CommandContext } from './context'

/** Serves one MCP client until it disconnects. */
export async function runMcp(context: CommandContext, toolId: string | undefined): Promise<void> {
  const { stdin, stdout } = context.streams
  await withServices(context, (parts) =>
    serveOverStdio({
      createServer: () => createMcpServer({ ...parts, toolId }),
      stdin: stdin(),
      stdout,
      log: parts.log,
    }),
  )
}

/** Serves MCP clients of the relay, which sends a secret as the first line and reads the port from the output. */
export async function runMcpThroughRelay(context: CommandContext): Promise<void> {
  const { stdin, stdout } = context.streams
  const lines = createInterface(stdin())
  const inputEnd = once(lines, 'close').then(() => undefined)
  const [secret] = await Promise.race([once(lines, 'line'), inputEnd.then(() => [])])
  if (typeof secret !== 'string') return
  const { serveOverHttp } = await import('../mcp/http')
  await withServices(context, (parts) => {
    const calls = new Map<string, Calls>()
    // Clients of one tool share a limit of concurrent calls.
    const createCalls = (toolId: string): Calls => {
      const toolCalls = calls.get(toolId) ?? new Calls({ ...parts, toolId })
      calls.set(toolId, toolCalls)
      return toolCalls
    }
    return serveOverHttp({
      secret,
      left: inputEnd,
      log: parts.log,
      createServer: (toolId) => createMcpServer({ ...parts, toolId, calls: createCalls(toolId) }),
      onListen: (port) => void stdout.write(`${port}\n`),
    })
  })
  lines.close()
}

async function withServices(
  context: CommandContext,
  serve: (parts: Omit<McpServerOptions, 'toolId'>) => Promise<void>,
): Promise<void> {
  const { core, outDir } = context
  const { version, dataDir, log } = core
  // Standard output is reserved for the protocol, so redirect what libraries print.
  console.log = console.info = console.error
  const budgets = new BudgetMeter(async (budget, span) => readBudget(await context.ledger(), budget, span))
  const addUsage = (entries: readonly LedgerEntry[]): void => {
    for (const entry of entries) budgets.settle(entry, undefined)
    void context.ledger().then((ledger) => ledger.add(entries))
  }
  core.recordUsageWith(addUsage)
  const playground = createPlayground(core, {
    store: createPlaygroundStore({ dataDir, workerPath: join(outDir, 'playground.cjs') }),
    sendProgress: () => undefined,
    addUsage,
  })
  const services = createMcpServices(core, {
    budgets: {
      findScope(request) {
        budgets.setBudgets(relayBudgets(core.settings.read()))
        return budgets.findScope(request)
      },
      admit: (request) => budgets.admit(request),
      release: (reservation) => budgets.release(reservation),
    },
    quotas: async () => (await context.quota()).list(),
    usage: () => context.usage(),
    playground: async () => playground.ground,
  })
  try {
    await serve({ version, services, log })
  } finally {
    await playground.end()
  }
}
