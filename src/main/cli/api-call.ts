import { AppError, type Failure } from '@shared/failure'
import { goesOn } from '../connections/followed-calls'
import { streamedLimits } from '../platform/pages'
import type { CallArguments } from '../platform/prepare'
import { checkArguments, findOperation, readBody } from './api-arguments'
import { followOperation, waitForOperation } from './api-operations'
import { serveApi } from './api-session'
import { type Chosen, createTargets, type Target } from './api-target'
import type { CommandContext } from './context'
import { jsonText } from './output'
import type { Pairs } from './pairs'
import { PipeClosed } from './pipes'

/** The options of `companion api call`. */
export interface ApiCallOptions extends Chosen {
  readonly path: Pairs
  readonly query: Pairs
  readonly body?: string
  readonly all?: boolean
  readonly wait?: boolean
}

type Operation = ReturnType<typeof findOperation>

interface Call {
  readonly operation: Operation
  readonly args: CallArguments
  readonly target: Target
}

/**
 * Makes one call and prints what it answered; standard output has nothing but that. What fails is told on standard
 * error, in words or as JSON, and the exit code says so.
 */
export async function callApi(context: CommandContext, id: string, options: ApiCallOptions): Promise<void> {
  try {
    const operation = findOperation(id)
    refuseMisplaced(operation, options)
    const args = await readArguments(context, options)
    checkArguments(operation, args)
    const call = { operation, args, target: await createTargets(context.core, options).of(operation) }
    await (options.all ? printAll(context, call) : printOne(context, call, options))
  } catch (error) {
    tellFailure(context, error)
  }
}

/** Answers the calls of standard input; only what the whole run goes over may be given beside them. */
export async function callFromInput(context: CommandContext, options: ApiCallOptions): Promise<void> {
  const { path, query, body, all, wait } = options
  try {
    if (path.size + query.size > 0 || body !== undefined || all || wait) {
      const message = 'Calls from standard input hold their own arguments; only --connection and --plan go with "-".'
      throw new AppError('input.invalid', message, { field: 'id' })
    }
    await serveApi(context, createTargets(context.core, options))
  } catch (error) {
    tellFailure(context, error)
  }
}

/** Tells a failure on standard error and sets the exit code; a reader who went away is none. Throws what is a bug. */
function tellFailure({ output, pipes }: CommandContext, error: unknown): void {
  if (error instanceof PipeClosed || pipes.closed.aborted) return
  if (!(error instanceof AppError)) throw error
  const { failure } = error
  output.err(output.isJson ? `${jsonText({ ok: false, failure })}\n` : `companion: ${inWords(failure)}\n`)
  process.exitCode = failure.code === 'input.invalid' ? 2 : 1
}

const inWords = ({ message, requestId }: Failure): string =>
  requestId === undefined ? message : `${message} (request ${requestId})`

function refuseMisplaced({ id, paging }: Operation, { all, wait }: ApiCallOptions): void {
  if (all && paging === undefined) {
    throw new AppError('input.invalid', `${id} is not a list in pages. Leave --all out.`, { field: 'all' })
  }
  if (wait && !goesOn(id)) {
    const message = `${id} is done when it is answered. --wait is for what goes on after that: creating and deleting platform API keys.`
    throw new AppError('input.invalid', message, { field: 'wait' })
  }
}

async function readArguments({ readFile }: CommandContext, given: ApiCallOptions): Promise<CallArguments> {
  const body = given.body === undefined ? {} : { body: await readBody(given.body, readFile) }
  return { path: Object.fromEntries(given.path), query: Object.fromEntries(given.query), ...body }
}

async function printOne(context: CommandContext, call: Call, { wait }: ApiCallOptions): Promise<void> {
  const { output, pipes, core } = context
  const { operation, args, target } = call
  const { status, data } = await target.client.call(operation.id, args, { signal: pipes.closed })
  if (data === undefined && !output.isJson) output.err(`Done: the answer is empty (${status}).\n`)
  else await pipes.write(`${jsonText(data ?? null, output.isJson ? 0 : 2)}\n`)
  const begun = followOperation(core, { id: operation.id, args, connectionId: target.connectionId })
  if (begun !== undefined && wait) await waitForOperation(context, begun)
}

/** Rows as they come, page by page: one JSON array, or with `--json` a row per line. An array that ends early stays open. */
async function printAll({ output, pipes }: CommandContext, { operation, args, target }: Call): Promise<void> {
  const [open, between, close] = output.isJson ? ['', '\n', '\n'] : ['[\n', ',\n', '\n]\n']
  let isFirst = true
  const listed = target.client.pages(operation.id, args, { signal: pipes.closed, limits: streamedLimits })
  for await (const { items } of listed) {
    if (items.length === 0) continue
    await pipes.write((isFirst ? open : between) + items.map((row) => jsonText(row)).join(between))
    isFirst = false
  }
  if (!isFirst) await pipes.write(close)
  else if (!output.isJson) await pipes.write('[]\n')
}
