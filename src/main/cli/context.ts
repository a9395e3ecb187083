import { join } from 'node:path'
import type { PlanQuota } from '@shared/contract/quota'
import { Command } from 'commander'
import type { Core } from '../compose/compose'
import type { Ledger } from '../usage/ports'
import { type Output, type Pipes, printOutput, type Result, type Streams } from './output'

export interface CommandContext extends UsageSession {
  readonly readStdin: () => Promise<string>
  /** A file as text, or standard input for `-`. Fails with `file.unreadable`. */
  readonly readFile: (path: string) => Promise<string>
  readonly pipes: Pipes
  readonly streams: Streams
  /** Folder of the built worker scripts of the usage ledger, the playground and the token counter. */
  readonly outDir: string
}

type AnyContext = { readonly output: Output; readonly close?: () => Promise<void> }

/** A command whose action gets a context before its arguments. Its subcommands use the same context. */
export class ContextCommand<Context extends AnyContext> extends Command {
  readonly #openContext: () => Context | Promise<Context>

  constructor(name: string, openContext: () => Context | Promise<Context>) {
    super(name)
    this.#openContext = openContext
  }

  override createCommand(name: string): ContextCommand<Context> {
    return new ContextCommand(name, this.#openContext)
  }

  /** Adds a subcommand. `usage`: its name and arguments. `argumentTexts`: descriptions of its arguments. */
  add(usage: string, description: string, ...argumentTexts: readonly string[]): ContextCommand<Context> {
    const command = this.command(usage).description(description)
    for (const [index, text] of argumentTexts.entries()) {
      const argument = command.registeredArguments[index]
      if (argument) argument.description = text
    }
    return command
  }

  /** Adds a command whose subcommands get the context that `toInner` makes of this one. */
  addGroup<Inner extends AnyContext>(
    name: string,
    description: string,
    toInner: (context: Context) => Promise<Inner>,
  ): ContextCommand<Inner> {
    const group = new ContextCommand(name, async () => toInner(await this.#openContext()))
    this.addCommand(group.description(description).copyInheritedSettings(this))
    return group
  }

  /** Sets the action. Prints the result of `work`. */
  run<Args extends unknown[]>(work: (context: Context, ...args: Args) => Result | Promise<Result>): this {
    return this.perform<Args>(async (context, ...args) => {
      const [value, lines] = await work(context, ...args)
      printOutput(context.output, value, () => lines)
    })
  }

  /** Sets an action that prints its output itself. Closes the context. */
  perform<Args extends unknown[]>(work: (context: Context, ...args: Args) => Promise<void>): this {
    return this.action(async (...args: Args) => {
      const context = await this.#openContext()
      try {
        await work(context, ...args)
      } finally {
        await context.close?.()
      }
    })
  }
}

/** The `companion` command, or a command of it. */
export type Program = ContextCommand<CommandContext>

/** Maximum wait for a console in a shell prompt, in ms. */
const promptTimeoutMs = 1500

type UsageSession = ReturnType<typeof openUsage>

/** Opens the usage ledger of the data folder on first use, unless given `existingLedger`. */
export function openUsage(
  { core, output, outDir }: { readonly core: Core; readonly output: Output; readonly outDir: string },
  existingLedger?: Ledger,
) {
  const { dataDir, log } = core
  let ledger = existingLedger && Promise.resolve(existingLedger)
  const openLedger = (): Promise<Ledger> => {
    ledger ??= import('../usage/ledger-client').then(({ createLedger }) =>
      createLedger({ dataDir, workerPath: join(outDir, 'usage.cjs') }),
    )
    return ledger
  }
  /** `timeoutMs`: maximum wait for a console. `updatesStatusLine`: whether to save the quotas for status lines. */
  const quota = async (timeoutMs = promptTimeoutMs, updatesStatusLine = true) => {
    const { QuotaService } = await import('../usage/quota/quota')
    const { updateStatusLines } = await import('./statusline')
    const { timeZone: zone } = await import('../core/local-time')
    const { account, connections, plans, settings } = core
    return new QuotaService({
      account,
      consoles: () => connections.consoleIds(),
      plans,
      settings,
      clock: () => new Date(),
      getClockOffsetMs: (id) => connections.getClockOffsetMs(id),
      zone,
      timeoutMs,
      ledger: await openLedger(),
      log,
      onListed: (listed) => {
        if (updatesStatusLine) updateStatusLines(dataDir, listed, new Date())
      },
    })
  }
  const readQuotas = async (): Promise<readonly PlanQuota[]> => {
    const session = openUsage({ core, output, outDir })
    try {
      return await (await session.quota(undefined, false)).list()
    } catch {
      return []
    } finally {
      await session.close().catch(() => undefined)
    }
  }
  let quotas: Promise<readonly PlanQuota[]> | undefined
  return {
    core,
    output,
    async usage() {
      const { createUsage } = await import('../compose/usage')
      const knownQuotas = await quota()
      return createUsage(core, {
        ledger: await openLedger(),
        getCycleDays: (planId) => knownQuotas.getCycleDays(planId),
        onChanged: () => undefined,
      })
    },
    quota,
    async budgets() {
      const { Budgets } = await import('../relay/budgets/budgets')
      const { timeZone: zone } = await import('../core/local-time')
      const { targets } = await import('../tools/targets')
      const toolName = (toolId: string) => targets.find(({ id }) => id === toolId)?.name
      return new Budgets({ settings: core.settings, ledger: openLedger, clock: () => new Date(), zone, toolName })
    },
    ledger: openLedger,
    /** Reads the quotas of all plans once, to choose a model. Writes nothing. Returns none if they can't be read. */
    readQuotas: () => {
      quotas ??= readQuotas()
      return quotas
    },
    /** One line for the lowest allowance, optionally of one plan. Undefined if unknown. Fails with `plan.notFound`. */
    async tightestLine(plan?: string) {
      const planId = plan === undefined ? undefined : core.plans.find(plan).id
      return (await quota()).tightestLine('en', planId)
    },
    close: async (): Promise<void> => (await ledger)?.close(),
  }
}
