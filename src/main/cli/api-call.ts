import type { OperationKind, OperationView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import type { Core } from '../compose/compose'
import { lazy } from '../core/lazy'
import { sleepMs } from '../core/net/deadline'
import type { CallArguments } from '../platform/build-request'
import { hasFollowUp, toFollowedOperation } from '../platform/operations'
import { createPlatformClient, type PlatformClient, streamedLimits } from '../platform/platform-client'
import { isOperationId, type Operation, type OperationId, operations } from '../platform/services'
import { keySource } from '../platform/tokens'
import type { CommandContext } from './context'
import type { ApiCallOptions } from './lazy-commands'
import { chooseConnection } from './options'
import { inputError, jsonText, listLines, type Output, PipeClosed, printOutput, withProgress } from './output'

interface Call {
  readonly operation: ReturnType<typeof findOperation>
  readonly args: CallArguments
  readonly target: Target
}

/**
 * Calls an operation, or those from standard input with the id `-`. Prints only responses to standard output. Prints a
 * failure to standard error and sets the exit code. Ignores a closed pipe.
 */
export async function callApi(context: CommandContext, id: string, options: ApiCallOptions): Promise<void> {
  const { output, pipes } = context
  try {
    await (id === '-' ? callFromInput(context, options) : callOperation(context, id, options))
  } catch (error) {
    if (error instanceof PipeClosed || pipes.closed.aborted) return
    if (!(error instanceof AppError)) throw error
    const { failure } = error
    const { message, requestId } = failure
    const text = requestId === undefined ? message : `${message} (request ${requestId})`
    output.err(output.isJson ? `${jsonText({ ok: false, failure })}\n` : `companion: ${text}\n`)
    process.exitCode = failure.code === 'input.invalid' ? 2 : 1
  }
}

async function callOperation(context: CommandContext, id: string, options: ApiCallOptions): Promise<void> {
  const operation = findOperation(id)
  const { all, wait } = options
  if (all && operation.paging === undefined) throw inputError(`${id} does not return pages. Remove --all.`, 'all')
  if (wait && !hasFollowUp(operation.id)) {
    const message = `${id} is complete when the response arrives. --wait is only for creating and deleting platform API keys.`
    throw inputError(message, 'wait')
  }
  const body = options.body === undefined ? undefined : await readBody(options.body, context.readFile)
  const args = { path: Object.fromEntries(options.path), query: Object.fromEntries(options.query), body }
  checkArguments(operation, args)
  const call = { operation, args, target: await createTargetFinder(context.core, options)(operation) }
  await (all ? printAllResults(context, call) : printSingleResult(context, call, wait))
}

/** Answers calls from standard input. Accepts only options that apply to all calls. */
async function callFromInput(context: CommandContext, options: ApiCallOptions): Promise<void> {
  const { path, query, body, all, wait } = options
  if (path.size + query.size > 0 || body !== undefined || all || wait) {
    const message =
      'Calls from standard input contain their own arguments. Only --connection and --plan can be used with "-".'
    throw inputError(message, 'id')
  }
  await serveApi(context, createTargetFinder(context.core, options))
}

async function printSingleResult(context: CommandContext, call: Call, wait = false): Promise<void> {
  const { output, pipes, core } = context
  const { operation, args, target } = call
  const { status, data } = await target.client.call(operation.id, args, { signal: pipes.closed })
  if (data === undefined && !output.isJson) output.err(`Done: empty response (${status}).\n`)
  else await pipes.write(`${jsonText(data ?? null, output.isJson ? 0 : 2)}\n`)
  const startedOperation = followOperation(core, operation.id, args, target.connectionId)
  if (startedOperation === undefined || !wait) return
  const { id, kind, subject } = startedOperation
  let state: OperationView['state'] = 'running'
  const seconds = await withProgress(output, `${subject} ${progressTexts[kind]}`, async () => {
    const operation = await core.operations.wait(id, pipes.closed)
    if (operation.failure) throw new AppError(operation.failure.code, operation.failure.message, operation.failure)
    state = operation.state
  })
  output.err(`${subject}: ${state} after ${seconds} s.\n`)
}

const progressTexts: Readonly<Record<OperationKind, string>> = {
  'apiKey.create': 'is being created',
  'apiKey.delete': 'is being deleted',
}

/** Streams rows page by page, as a JSON array, or one row per line with `--json`. An interrupted array stays open. */
async function printAllResults({ output, pipes }: CommandContext, { operation, args, target }: Call): Promise<void> {
  const [open, between, close] = output.isJson ? ['', '\n', '\n'] : ['[\n', ',\n', '\n]\n']
  let isFirst = true
  const pagedRows = target.client.pages(operation.id, args, { signal: pipes.closed, limits: streamedLimits })
  for await (const { items } of pagedRows) {
    if (items.length === 0) continue
    await pipes.write((isFirst ? open : between) + items.map((row) => jsonText(row)).join(between))
    isFirst = false
  }
  if (!isFirst) await pipes.write(close)
  else if (!output.isJson) await pipes.write('[]\n')
}

const maxConcurrent = 8

const Line = z.strictObject({
  id: z.string(),
  path: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional(),
})

/** One line of output: the result or failure of the call in one line of input. */
type CallResult = { readonly id: string | null } & (
  | { readonly ok: true; readonly status: number; readonly data: unknown }
  | { readonly ok: false; readonly status?: number; readonly failure: Failure }
)

/**
 * Answers each JSON line of standard input with one line, in order, until the input ends or the output closes. A failed
 * call is answered with its failure. Read-only calls run concurrently, changes alone. Rejects at the end with bugs.
 */
async function serveApi({ core, pipes }: CommandContext, findTarget: FindTarget): Promise<void> {
  const unexpectedErrors: unknown[] = []
  const answerLine = async (request: unknown): Promise<CallResult> => {
    const id = readId(request) ?? null
    try {
      const { id: operationId, ...args } = readLine(request)
      const operation = findOperation(operationId)
      checkArguments(operation, args)
      const { client, connectionId } = await findTarget(operation)
      const { status, data } = await client.call(operation.id, args, { signal: pipes.closed })
      followOperation(core, operation.id, args, connectionId)
      return { id, ok: true, status, data: data ?? null }
    } catch (error) {
      if (error instanceof AppError) {
        const { status, ...failure } = error.failure
        return { id, ok: false, ...(status === undefined ? {} : { status }), failure }
      }
      unexpectedErrors.push(error)
      const message = 'Unexpected error in this call. Try again, and report it if it happens again.'
      return { id, ok: false, failure: { code: 'internal.unexpected', message } }
    }
  }
  const pendingWrites: Promise<void>[] = []
  let lastWrite: Promise<void> = Promise.resolve()
  for await (const line of pipes.lines()) {
    if (line.trim() === '') continue
    const request = parseJson(line)
    const isChange = !isReadOnly(readId(request))
    if (isChange) await lastWrite
    const answer = answerLine(request)
    lastWrite = lastWrite.then(async () => pipes.write(`${jsonText(await answer)}\n`))
    // A closed output also ends the lines. The error is thrown below.
    lastWrite.catch(() => undefined)
    if (isChange) await lastWrite
    pendingWrites.push(lastWrite)
    if (pendingWrites.length >= maxConcurrent) await pendingWrites.shift()
  }
  await lastWrite
  if (unexpectedErrors.length > 0) throw unexpectedErrors[0]
}

const readId = (request: unknown): string | undefined => z.object({ id: z.string() }).safeParse(request).data?.id

function readLine(request: unknown): z.infer<typeof Line> {
  if (request === undefined) throw new AppError('input.invalid', 'The line is not JSON. Write one object per line.')
  const { data, error } = Line.safeParse(request)
  if (data !== undefined) return data
  const [issue] = error.issues
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const inputProblem =
    unknownKey === undefined ? `${issue?.path.join('.') || 'The line'} is invalid` : `${unknownKey} is unknown`
  const message = `${inputProblem}. A call is {"id", "path", "query", "body"}: a string, two objects with plain values, any JSON.`
  throw new AppError('input.invalid', message)
}

/** Operations that use POST but change nothing. */
const readOperations: readonly string[] = [
  'memory.records.search',
  'runtime.agentRuntimes.logs',
  'runtime.endpoints.logs',
]

/** Whether a call changes nothing. True for an unknown operation, which is not called. */
function isReadOnly(id: string | undefined): boolean {
  const operation = operations.find((candidate) => candidate.id === id)
  if (operation === undefined || readOperations.includes(operation.id)) return true
  return operation.method === 'GET' || operation.service === 'gateway' || operation.service === 'inference'
}

/** Adds an operation that the call started to the followed ones, which the app polls too. Undefined for other calls. */
function followOperation(
  { operations }: Core,
  id: OperationId,
  args: CallArguments,
  connectionId: string | undefined,
): OperationView | undefined {
  const followedOperation = toFollowedOperation(id, args)
  return followedOperation && connectionId ? operations.follow(connectionId, followedOperation) : undefined
}

/** Client for a call. Without a connection it uses a plan's own gateway. */
interface Target {
  readonly client: PlatformClient
  readonly connectionId: string | undefined
}

/** Fails with `connection.notFound`, or `input.invalid` when the gateway's plan is ambiguous. */
type FindTarget = (operation: Pick<Operation, 'credential'>) => Promise<Target>

/** Resolves the chosen connection and plan. Fails with `connection.notFound` or `plan.notFound`. */
function createTargetFinder(core: Core, { connection, plan }: ApiCallOptions): FindTarget {
  const namedConnection = connection === undefined ? undefined : core.connections.find(connection)
  if (plan !== undefined) core.plans.find(plan)
  const openGateway = lazy(async (): Promise<Target> => {
    const connection =
      namedConnection ?? (plan === undefined ? chooseConnection(core, undefined) : core.connections.active())
    const gatewayPlan = choosePlan(core, plan, connection?.addresses.tokenPlanUrl)
    // Fails with `vault.*`. The plan's key is sent to no other address.
    const key = await core.plans.readSecret(gatewayPlan)
    const client = createPlatformClient({
      addresses: { tokenPlanUrl: gatewayPlan.gatewayUrl },
      tokens: { gateway: keySource(async () => key) },
      send: core.network.send,
      clock: () => new Date(),
      sleep: sleepMs,
      random: Math.random,
      log: { info: () => undefined, error: () => undefined },
    })
    return { client, connectionId: connection?.id }
  })
  return async ({ credential }) => {
    if (credential === 'gateway') return openGateway()
    const { id } = chooseConnection(core, connection)
    return { client: await core.connections.client(id), connectionId: id }
  }
}

/** The named plan, or the only one at the connection's gateway. Fails with `plan.notFound` or `input.invalid`. */
function choosePlan({ plans }: Core, named: string | undefined, gatewayUrl: string | undefined) {
  if (named !== undefined) return plans.find(named)
  const plansAtGateway = plans.list().filter((plan) => plan.gatewayUrl === gatewayUrl)
  const [only] = plansAtGateway
  if (only !== undefined && plansAtGateway.length === 1) return plans.find(only.id)
  const planList =
    plansAtGateway.length === 0
      ? 'no plan uses the gateway of this connection'
      : `plans of this gateway: ${plansAtGateway.map(({ name }) => name).join(', ')}`
  throw inputError(`A gateway call needs the key of a plan. Choose one with --plan (${planList}).`, 'plan')
}

/** Finds an operation. Fails with `input.invalid` and the most similar ids. */
function findOperation(id: string): Operation & { readonly id: OperationId } {
  const operationMatch = operations.find((operation) => operation.id === id)
  if (operationMatch !== undefined && isOperationId(id)) return { ...operationMatch, id }
  const typedId = id.toLowerCase().slice(0, 100)
  const nearestIds = operations
    .map((operation) => ({ id: operation.id, score: scoreDifference(typedId, operation.id.toLowerCase()) }))
    .filter(({ score }) => score <= maxDifference)
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map((operation) => operation.id)
  const suggestion = nearestIds.length === 0 ? '' : ` Did you mean ${nearestIds.join(', ')}?`
  throw inputError(`Unknown operation ${quoteShort(id)}.${suggestion} "companion api list" lists them all.`, 'id')
}

/** Checks the parameters. Fails with `input.invalid` and the name of an unknown or missing parameter. */
function checkArguments(operation: Operation, { path = {}, query = {} }: CallArguments): void {
  const { id, pathParams, requiredQuery, defaultQuery } = operation
  rejectUnknownNames(operation, 'path parameter', path, pathParams)
  rejectUnknownNames(operation, 'query parameter', query, operation.query)
  for (const name of pathParams) {
    if ((path[name] ?? '') === '') throw inputError(`${id} needs the path parameter ${name}.`, name)
  }
  for (const name of requiredQuery) {
    const hasParameter = (query[name] ?? '') !== '' || name in defaultQuery
    if (!hasParameter) throw inputError(`${id} needs the query parameter ${name}.`, name)
  }
}

function rejectUnknownNames(
  { id }: Operation,
  kind: string,
  given: Readonly<Record<string, unknown>>,
  knownNames: readonly string[],
): void {
  const unknownName = Object.keys(given).find((name) => !knownNames.includes(name))
  if (unknownName === undefined) return
  const knownNamesText = knownNames.length === 0 ? 'It has none.' : `It has: ${knownNames.join(', ')}.`
  throw inputError(`${id} has no ${kind} ${quoteShort(unknownName)}. ${knownNamesText}`, unknownName.slice(0, 100))
}

/** Reads a body: JSON, `@FILE`, or `@-` for standard input. Failures do not repeat the content. */
async function readBody(text: string, read: (path: string) => Promise<string>): Promise<unknown> {
  const json = text.startsWith('@') ? await read(text.slice(1)) : text
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    const fileHint = text.startsWith('@') && text !== '@-' ? `in ${text.slice(1)} ` : ''
    throw inputError(`The body ${fileHint}is not JSON. Give JSON, @FILE, or @- for standard input.`, 'body')
  }
}

const quoteShort = (text: string): string => JSON.stringify(text.slice(0, 100))

const maxDifference = 0.4

/** Distance of two names from 0 (equal) to 1 (unrelated). A name that contains the typed parts is near. */
function scoreDifference(typed: string, name: string): number {
  const parts = typed.split(/[^a-z0-9]+/).filter((word) => word !== '')
  const containsTypedParts = parts.length > 0 && parts.every((word) => name.includes(word))
  const relativeDistance = computeEditDistance(typed, name) / Math.max(typed.length, name.length, 1)
  return containsTypedParts ? relativeDistance * maxDifference : relativeDistance
}

/** Levenshtein distance. */
function computeEditDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [above, letter] of [...a].entries()) {
    const nextRow = [above + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replacementCost = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      nextRow.push(Math.min(replacementCost, (row[column] ?? 0) + 1, (nextRow[column - 1] ?? 0) + 1))
    }
    row = nextRow
  }
  return row[b.length] ?? 0
}

export function listOperations(output: Output, service?: string): void {
  const shownOperations = operations.filter((operation) => service === undefined || operation.service === service)
  const mark = (name: string, { requiredQuery, defaultQuery }: Operation): string => {
    if (!requiredQuery.includes(name)) return name
    return name in defaultQuery ? `${name} (required, may be empty)` : `${name} (required)`
  }
  printOutput(output, shownOperations.map(toView), () =>
    listLines(shownOperations, {
      ID: ({ id }) => id,
      VERB: ({ method }) => method,
      PATH: ({ path }) => path,
      'PATH PARAMETERS': ({ pathParams }) => pathParams.join(', ') || '-',
      QUERY: (operation) => operation.query.map((name) => mark(name, operation)).join(', ') || '-',
      PURPOSE: ({ purpose }) => purpose,
    }),
  )
}

/** JSON of `api list`. `default`: value that is sent when the parameter is omitted. */
function toView({ id, service, method, path, pathParams, paging, purpose, ...query }: Operation) {
  const parameter = (name: string) => ({
    name,
    required: query.requiredQuery.includes(name),
    ...(name in query.defaultQuery ? { default: query.defaultQuery[name] } : {}),
  })
  const parameters = query.query.map(parameter)
  return { id, service, method, path, pathParams, query: parameters, isPaged: paging !== undefined, purpose }
}
