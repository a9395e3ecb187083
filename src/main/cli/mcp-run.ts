import type { Readable, Writable } from 'node:stream'
import { createMcpServices } from '../compose-mcp'
import { createPlayground } from '../compose-playground'
import { createLog } from '../log'
import { createMcpServer } from '../mcp/server'
import { serveOverStdio } from '../mcp/stdio'
import { proxyFromEnvironment } from '../net/proxy'
import { SinglePrompts } from '../playground/playground-inference'
import { createPlaygroundStore } from '../playground/store-client'
import type { CommandContext } from './context'
import { openUsage } from './usage-session'

/** What `companion mcp` works with beside its context: the built files of the threads, and the client's two streams. */
export interface McpRunOptions {
  readonly version: string
  readonly toolId: string | undefined
  readonly usagePath: string
  readonly playgroundPath: string
  readonly stdin: Readable
  readonly stdout: Writable
}

/** Serves one MCP client until it leaves. */
export async function runMcp(context: CommandContext, options: McpRunOptions): Promise<void> {
  const { core } = context
  const { version, toolId, usagePath, playgroundPath, stdin, stdout } = options
  const { dataDir } = await core.app()
  const log = createLog(dataDir)
  // Standard output is the protocol's alone; what a library prints must not break it.
  console.log = console.info = console.error
  const figures = openUsage(context, usagePath)
  const prompts = new SinglePrompts()
  const playground = createPlayground(core, {
    store: createPlaygroundStore({ dataDir, workerPath: playgroundPath }),
    proxyFor: proxyFromEnvironment(process.env),
    log,
    tell: (news) => prompts.tell(news),
    onChanged: () => undefined,
    addUsage: (entries) => void figures.ledger().then((ledger) => ledger.add(entries)),
    countTokens: async () => [],
  })
  const services = createMcpServices(core, {
    dataDir,
    prompts,
    quotas: async () => (await figures.quota()).list(),
    usage: () => figures.usage(),
    playground: async () => playground.ground,
  })
  const createServer = () => createMcpServer({ version, services, toolId, clock: () => new Date(), log })
  try {
    await serveOverStdio({ createServer, stdin, stdout, log })
  } finally {
    await playground.end()
    await figures.close()
  }
}
