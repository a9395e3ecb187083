import { ConnectionPart } from '@shared/contract'
import { type Command, Option } from 'commander'
import type { ApiCallOptions } from './api-call'
import type { CommandContext } from './context'
import { collectPair, type Pairs } from './options'

/** `companion api list | call`. The tables of the services and the HTTP library are loaded by these alone. */
export function addApiCommands(program: Command, context: () => CommandContext): void {
  const api = program.command('api').description('call any operation of the platform')
  api
    .command('list')
    .addOption(new Option('--service <service>', 'only operations of this service').choices(services))
    .description('list the operations with their parameters')
    .action(async ({ service }: { service?: string }) => {
      const { listOperations } = await import('./api-list')
      listOperations(context().output, service)
    })
  const none: Pairs = new Map()
  api
    .command('call')
    .argument(
      '<id>',
      'operation id from "companion api list", or - to read calls from standard input, one JSON object per line',
    )
    .option('--path <name=value>', 'path parameter, repeatable', collectPair, none)
    .option('--query <name=value>', 'query parameter, repeatable', collectPair, none)
    .option('--body <json>', 'request body: JSON, @FILE, or @- for standard input')
    .option('--all', 'fetch every page of a list, up to 100,000 rows')
    .option('--wait', 'wait until a platform API key is created or deleted')
    .option('--connection <connection>', 'name or id (default: the active one)')
    .option('--plan <plan>', 'plan whose key is used (gateway operations only)')
    .description('call one operation and print its response')
    .action(async (id: string, options: ApiCallOptions) => {
      const { callApi, callFromInput } = await import('./api-call')
      await (id === '-' ? callFromInput(context(), options) : callApi(context(), id, options))
    })
}

/** The services have a part of the connection each. */
const services = ConnectionPart.options.filter((part) => part !== 'token')
