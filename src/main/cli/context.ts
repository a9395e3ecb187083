import { join } from 'node:path'
import type { PlanQuota } from '@shared/contract/quota'
import { Command, Option } from 'commander'
import type { Core } from '../compose/compose'
import { lazy } from '../core/lazy'
import type { Ledger } from '../usage/ledger-client'
import type { SiteOptions } from './options'
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

/** Context of any command. */
export type AnyContext = { readonly output: Output; readonly close?: () => Promise<void> }

/** Value of `name`, or values of `name...`. */
type TextValue<Text extends string> = Text extends `${string}...` ? string[] : string

/** Values of the arguments in the usage of a command, such as `copy <server> <tool...> [folder]`. */
type ArgumentValues<Usage extends string> = Usage extends `${string} ${infer Arguments}`
  ? Arguments extends `${infer First} ${string}`
    ? [ArgumentValue<First>, ...ArgumentValues<Arguments>]
    : [ArgumentValue<Arguments>]
  : []

type ArgumentValue<Argument extends string> = Argument extends `<${infer Text}>`
  ? TextValue<Text>
  : Argument extends `[${string}...]`
    ? string[]
    : string | undefined

/** Property of an option: `dryRun` for `dry-run`, `autoRenew` for `no-auto-renew`. */
type OptionName<Flag extends string> = Flag extends `no-${infer Positive}`
  ? OptionName<Positive>
  : Flag extends `${infer Head}-${infer Tail}`
    ? `${Head}${Capitalize<OptionName<Tail>>}`
    : Flag

type OptionValue<Flag extends string, Value> = { readonly [Name in OptionName<Flag>]: Value }

/** Parses a value, or lists the possible values. A repeatable option gets its previous value. */
type Parser<Value> = ((text: string, previous: Value) => Value) | readonly (Value & string)[]

function createOption<Value>(flags: string, description: string, parser: Parser<Value> | undefined): Option {
  const option = new Option(flags, description)
  if (typeof parser === 'function') return option.argParser(parser)
  return parser ? option.choices(parser) : option
}

/** Options of a command, by their names. */
export type CommandOptions<C> =
  C extends ContextCommand<infer _Context extends AnyContext, infer _Args extends unknown[], infer Options>
    ? Options
    : never

/**
 * A command whose action gets a context before its arguments and options, which have the types that their usage texts
 * declare. Its subcommands use the same context.
 */
export class ContextCommand<Context extends AnyContext, Args extends unknown[] = [], Options = object> extends Command {
  readonly #openContext: () => Context | Promise<Context>

  constructor(name: string, openContext: () => Context | Promise<Context>) {
    super(name)
    this.#openContext = openContext
  }

  /** Adds a subcommand. `usage`: its name and arguments. `argumentTexts`: descriptions of its arguments. */
  add<Usage extends string>(usage: Usage, description: string, ...argumentTexts: readonly string[]) {
    const [name = '', ...argumentNames] = usage.split(' ')
    const command = new ContextCommand<Context, ArgumentValues<Usage>>(name, this.#openContext)
    for (const [index, argument] of argumentNames.entries()) command.argument(argument, argumentTexts[index])
    this.addCommand(command.description(description).copyInheritedSettings(this))
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

  /** Adds an option without a value. */
  flag<Flag extends string>(flag: `--${Flag}`, description: string) {
    return this.#with<Partial<OptionValue<Flag, boolean>>>(new Option(flag, description))
  }

  /** Adds an option with a value, or with several for `<value...>`. */
  value<Flag extends string, Text extends string, const Value = TextValue<Text>>(
    flags: `--${Flag} <${Text}>`,
    description: string,
    parser?: Parser<Value>,
  ) {
    return this.#with<Partial<OptionValue<Flag, Value>>>(createOption(flags, description, parser))
  }

  /** Adds an option that must be given. */
  required<Flag extends string, Text extends string, const Value = TextValue<Text>>(
    flags: `--${Flag} <${Text}>`,
    description: string,
    parser?: Parser<Value>,
  ) {
    return this.#with<OptionValue<Flag, Value>>(createOption(flags, description, parser).makeOptionMandatory())
  }

  /** Adds an option with a default value. */
  valueOr<Flag extends string, const Value>(
    flags: `--${Flag} <${string}>`,
    description: string,
    parser: Parser<Value>,
    defaultValue: NoInfer<Value>,
  ) {
    return this.#with<OptionValue<Flag, Value>>(createOption(flags, description, parser).default(defaultValue))
  }

  /** Adds `--connection`, the name or id of a connection. */
  connection(description = 'name or id (default: the active one)') {
    return this.value('--connection <connection>', description)
  }

  /** Adds `--yes`, without which the command only shows its consequences. */
  yes(action: string) {
    return this.flag('--yes', `${action} (without it, only show what would happen)`)
  }

  dryRun() {
    return this.flag('--dry-run', 'print the diff and write nothing')
  }

  /** Adds the location of a tool's settings. Default: the user's home. */
  site() {
    const project = new Option('--project <folder>', 'use the settings of a project folder').conflicts('wsl')
    const wsl = new Option('--wsl <distribution>', 'use the settings in a WSL distribution')
    return this.addOption(project).#with<SiteOptions>(wsl)
  }

  /** Adds an option, which is also in the type of the returned command. */
  #with<Added>(option: Option): ContextCommand<Context, Args, Options & Added>
  #with(option: Option): Command {
    return this.addOption(option)
  }

  /** Sets the action. Prints the result of `work`. */
  run(work: (context: Context, ...args: [...Args, Options]) => Result | Promise<Result>): this {
    return this.perform(async (context, ...args) => {
      const [value, lines] = await work(context, ...args)
      printOutput(context.output, value, () => lines)
    })
  }

  /** Sets an action that prints its output itself. Closes the context. */
  perform(work: (context: Context, ...args: [...Args, Options]) => Promise<void>): this {
    return this.action(async (...args: [...Args, Options]) => {
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
  const { dataDir } = core
  const openLedger = lazy(async (): Promise<Ledger> => {
    if (existingLedger) return existingLedger
    const { createLedger } = await import('../usage/ledger-client')
    return createLedger({ dataDir, workerPath: join(outDir, 'usage.cjs') })
  })
  /** `timeoutMs`: maximum wait for a console. `updatesStatusLine`: whether to save the quotas for status lines. */
  const quota = async (timeoutMs = promptTimeoutMs, updatesStatusLine = true) => {
    const { QuotaService } = await import('../usage/quota/quota')
    const { updateStatusLines } = await import('./statusline')
    const { timeZone: zone } = await import('../core/local-time')
    return new QuotaService({
      ...core,
      clock: () => new Date(),
      zone,
      timeoutMs,
      ledger: await openLedger(),
      onListed: (listed) => {
        if (updatesStatusLine) updateStatusLines(dataDir, listed, new Date())
      },
    })
  }
  const readQuotas = lazy(async (): Promise<readonly PlanQuota[]> => {
    const session = openUsage({ core, output, outDir })
    try {
      return await (await session.quota(undefined, false)).list()
    } catch {
      return []
    } finally {
      await session.close().catch(() => undefined)
    }
  })
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
    readQuotas,
    /** One line for the lowest allowance, optionally of one plan. Undefined if unknown. Fails with `plan.notFound`. */
    async tightestLine(plan?: string) {
      const planId = plan === undefined ? undefined : core.plans.find(plan).id
      return (await quota()).tightestLine('en', planId)
    },
    close: async (): Promise<void> => (await openLedger.peek())?.close(),
  }
}
