import { ApiStandard } from '@shared/contract/common'
import { InvalidArgumentError } from 'commander'
import type { AnyContext, CommandOptions, ContextCommand, Program } from './context'
import { collectPair, type Pairs, sources, splits, steps } from './options'

// Definitions of commands whose actions are loaded on first use.

/** `companion usage`. */
export const defineUsageCommand = <Context extends AnyContext>(program: ContextCommand<Context>) =>
  program
    .add('usage', 'usage over time or by model, tool, key, plan, project or holder')
    .connection()
    .value('--plan <plan>', 'name or id')
    .value('--model <code>', 'model code')
    .value('--tool <tool>', 'coding tool, by id')
    .value('--key <key>', 'subscription key, by name or id')
    .value('--project <project>', 'project folder, by name or id')
    .valueOr('--from <when>', 'start: a day, a time, today, month, 24h, 7d or 2w', String, '7d')
    .valueOr('--to <when>', 'end, in the same form (a day is included)', String, 'now')
    .valueOr('--by <what>', 'row per', [...steps, ...splits], 'day')
    .value('--source <source>', 'data source: machine by default, console with --by holder', sources)
    .flag('--csv', 'print CSV')
    .flag('--line', 'print the lowest quota in one line, for shell prompts and status lines')
export type UsageOptions = CommandOptions<ReturnType<typeof defineUsageCommand>>

const noPairs: Pairs = new Map()

/** `companion api call`. */
export const defineCallCommand = (api: Program) =>
  api
    .add(
      'call <id>',
      'call one operation and print its response',
      'operation id from "companion api list", or - to read calls from standard input, one JSON object per line',
    )
    .valueOr('--path <name=value>', 'path parameter, repeatable', collectPair, noPairs)
    .valueOr('--query <name=value>', 'query parameter, repeatable', collectPair, noPairs)
    .value('--body <json>', 'request body: JSON, @FILE, or @- for standard input')
    .flag('--all', 'fetch every page of a list, up to 100,000 rows')
    .flag('--wait', 'wait until a platform API key is created or deleted')
    .connection()
    .value('--plan <plan>', 'plan whose key is used (gateway operations only)')
export type ApiCallOptions = CommandOptions<ReturnType<typeof defineCallCommand>>

/** `companion chat`. */
export const defineChatCommand = (program: Program) =>
  program
    .add(
      'chat [prompt...]',
      'send a prompt to a model and stream the response (Ctrl+C stops it)',
      'prompt (default: standard input)',
    )
    .value('--plan <plan>', 'name or id (default: the only one)')
    .value('--key <key>', "name or id of the key (default: the plan's newest active)")
    .value('--model <code>', "model code (default: the plan's first with quota)")
    .value('--system <text>', 'system prompt')
    .valueOr('--standard <standard>', 'protocol', ApiStandard.options, 'chat-completions')
    .flag('--save', 'save it as a conversation in the playground')
export type ChatOptions = CommandOptions<ReturnType<typeof defineChatCommand>>

/** `companion relay`. */
export const defineRelayCommand = (program: Program) =>
  program
    .add('relay', 'run the relay without the app until Ctrl+C (--json prints its address and the tokens of tools)')
    .value('--port <port>', "local port (0: any free port, default: the app's)", (text) => {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
      if (port === 0 || (port >= 1024 && port <= 65_535)) return port
      throw new InvalidArgumentError('Enter 0, or a port from 1024 to 65535.')
    })
    .value('--plan <plan>', 'plan for tools without one, by name or id (uses its newest active key)')
    .value('--tool <id...>', 'only these tools (default: tools that use the relay, with --plan every tool)')
    .flag('--allow-uncounted', 'let requests through that budgets cannot count')
export type RelayOptions = CommandOptions<ReturnType<typeof defineRelayCommand>>
