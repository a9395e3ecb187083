import { setImmediate } from 'node:timers/promises'
import type { ConnectionView, MethodInput, ResourceAnswer, ResourcePage } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { quoteForSh } from '../../core/environment'
import { redact, type Secret } from '../../core/secret'
import { type Addresses, type CallArguments, prepare } from '../build-request'
import { type Operations, toFollowedOperation } from '../operations'
import type { PlatformAnswer, PlatformClient } from '../platform-client'
import { findPlatformOperation, isOperationId, type Operation, type OperationId, readPage } from '../services'
import {
  hideSecrets,
  type Json,
  type RedactedResponse,
  type ResolvedBody,
  redactBody,
  resolveBodySecrets,
} from './redact-response'
import { type CapturedSecrets, type SecretFacts, toSecretFacts } from './secret-store'

interface ResourcesDeps {
  readonly connections: {
    find(id: string): Pick<ConnectionView, 'name' | 'addresses'>
    client(id: string): Promise<PlatformClient>
  }
  readonly operations: Pick<Operations, 'follow'>
  /** Secrets that the user pasted from the clipboard into a form. */
  readonly pending: { get(pendingId: string): Secret; forget(pendingId: string): void }
  readonly held: CapturedSecrets
}

/** Number of rows after which the work yields to other calls. */
const rowsPerPause = 5000

type ResourceCall = Omit<MethodInput<'resources.call'>, 'callId'>
type ResourceOperation = ReturnType<typeof platformOperation>

interface CompletedCall {
  readonly operation: ResourceOperation
  readonly args: CallArguments
  readonly filled: ResolvedBody
  readonly answer: PlatformAnswer
  /** Operation and resource that returned the secrets in the response. */
  readonly facts: SecretFacts
}

/** All platform operations for the window, with secrets masked in responses. */
export class Resources {
  constructor(private readonly deps: ResourcesDeps) {}

  /** Calls an operation. Fails with `input.invalid` before sending, or as the platform client does. */
  async call(resourceCall: ResourceCall, signal?: AbortSignal): Promise<ResourceAnswer> {
    const callResponse = await this.#ask(resourceCall, signal)
    const { operation, args, answer } = callResponse
    const { data, secrets } = this.#hide(answer.data, callResponse, { holds: true })
    const followed = toFollowedOperation(operation.id, args)
    return {
      status: answer.status,
      ...(answer.data === undefined ? {} : { data }),
      ...getRequestId(callResponse),
      secrets,
      ...(followed && { operationId: this.deps.operations.follow(resourceCall.connectionId, followed).id }),
    }
  }

  /** Returns one page. Fails with `input.invalid` for an operation without pages, and with `api.unreadable` when the rows are missing. */
  async page(input: MethodInput<'resources.page'>, signal?: AbortSignal): Promise<ResourcePage> {
    const { page, size, ...rest } = input
    const { id, paging } = platformOperation(input.operation)
    if (paging === undefined)
      throw new AppError('input.invalid', `${id} is not a list in pages.`, { field: 'operation' })
    const number = page ?? paging.firstPage
    const query = { ...rest.query, page: number, ...(size === undefined ? {} : { size }) }
    const callResponse = await this.#ask({ ...rest, query }, signal)
    const content = readPage(paging, callResponse.answer.data)
    if (content === undefined) {
      const message = `The list has no rows (${paging.items}), so it has no pages. Check the address of the service, or make a single call.`
      const { requestId } = callResponse.answer
      throw new AppError('api.unreadable', message, requestId === undefined ? {} : { requestId })
    }
    const { items, ...totals } = content
    const { data, secrets } = this.#hide(items, callResponse, { holds: true })
    const rows = Array.isArray(data) ? data : []
    return { rows, page: number, firstPage: paging.firstPage, ...totals, ...getRequestId(callResponse), secrets }
  }

  /** Returns all rows with masked secrets. Fails as `page` does, and with `api.listTooLong` above the limit. */
  async every(input: Omit<MethodInput<'resources.every'>, 'callId'>, signal?: AbortSignal): Promise<{ rows: Json[] }> {
    const { size, connectionId, ...rest } = input
    const { id } = platformOperation(input.operation)
    const args = { path: rest.path, query: { ...rest.query, size } }
    const client = await this.deps.connections.client(connectionId)
    const sentPathValues = new Set(Object.values(args.path ?? {}).map(String))
    const rows: Json[] = []
    for await (const { items } of client.pages(id, args, { signal })) {
      const { data } = hideSecrets(items, { operation: id, sent: [], echoes: sentPathValues })
      for (const row of Array.isArray(data) ? data : []) rows.push(row)
    }
    return { rows }
  }

  /**
   * Rows of an unpaged list, with secrets masked irreversibly. Fails with `api.unreadable` for a response without a
   * list.
   */
  async rows(resourceCall: ResourceCall, signal?: AbortSignal): Promise<{ rows: Json[] }> {
    const callResponse = await this.#ask(resourceCall, signal)
    const rowMatch = findRows(callResponse.answer.data)
    const rows: Json[] = []
    for (let offset = 0; offset < rowMatch.length; offset += rowsPerPause) {
      const { data } = this.#hide(rowMatch.slice(offset, offset + rowsPerPause), callResponse, { holds: false })
      for (const row of Array.isArray(data) ? data : []) rows.push(row)
      await setImmediate()
    }
    return { rows }
  }

  /**
   * Formats a platform call as a curl or `companion` command. Fails with `input.invalid`, `api.notConfigured` or
   * `connection.notFound`.
   */
  code({ language, operation, connectionId, ...args }: MethodInput<'resources.code'>): { readonly code: string } {
    const call = { operation: platformOperation(operation), args, connection: this.deps.connections.find(connectionId) }
    return { code: language === 'curl' ? curlCode(call) : buildCompanionCommand(call) }
  }

  async #ask(resourceCall: ResourceCall, signal: AbortSignal | undefined): Promise<CompletedCall> {
    const { pending, held, connections } = this.deps
    const operation = platformOperation(resourceCall.operation)
    const resolvedBody = resolveBodySecrets(resourceCall.body, {
      pending: (id) => pending.get(id),
      held: (handle) => held.get(handle, resourceCall.connectionId).secret,
      isMasked: (text) => held.isMasked(text),
    })
    const { path, query } = resourceCall
    const args = { path, query, body: resolvedBody.body }
    const client = await connections.client(resourceCall.connectionId)
    const answer = await client.call(operation.id, args, { signal }).catch((error: unknown) => {
      throw withoutSecrets(error, resolvedBody.sent)
    })
    for (const id of resolvedBody.pendingIds) pending.forget(id)
    return { operation, args, filled: resolvedBody, answer, facts: toSecretFacts(resourceCall) }
  }

  #hide(
    data: unknown,
    { operation, args, filled: filledBody, facts }: CompletedCall,
    { holds }: { readonly holds: boolean },
  ): RedactedResponse {
    const { held } = this.deps
    return hideSecrets(data, {
      operation: operation.id,
      sent: filledBody.sent,
      echoes: new Set([...Object.values(args.path ?? {}).map(String), ...filledBody.texts]),
      hold: holds ? (secret) => held.hold({ secret, facts }) : undefined,
    })
  }
}

function getRequestId({ answer: { requestId }, filled: filledBody }: CompletedCall): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId: redact(requestId, filledBody.sent) }
}

/**
 * The client recognizes secrets by field name. This function also removes secrets from the server's message that were
 * sent in fields with other names.
 */
function withoutSecrets(error: unknown, sentSecrets: readonly Secret[]): unknown {
  if (!(error instanceof AppError) || sentSecrets.length === 0) return error
  const { code, message, requestId, ...details } = error.failure
  const requestIdField = requestId === undefined ? {} : { requestId: redact(requestId, sentSecrets) }
  return new AppError(code, redact(message, sentSecrets), { ...details, ...requestIdField })
}

/** Services that the window may call freely. Console and gateway cost money and have their own features. */
const readableServices: readonly string[] = ['identity', 'runtime', 'memory', 'registry', 'aip', 'inference']

/** Finds an operation. Fails with `input.invalid` for an unknown operation, and for those of console and gateway. */
function platformOperation(id: string): Operation & { readonly id: OperationId } {
  const operation = findPlatformOperation(id)
  if (readableServices.includes(operation.service) && isOperationId(id)) return { ...operation, id }
  throw new AppError('input.invalid', `${id} can't be called here: it has its own pages.`, { field: 'operation' })
}

/** Field names of the rows in a response without pages. This list is our own, because the spec shows no such response. */
const rowNames = ['listData', 'content', 'items', 'data', 'records', 'results', 'rows', 'logs', 'lines', 'values']

/**
 * The rows of an unpaged response: the list itself, a list under one of these names, or the first list. Otherwise
 * `api.unreadable`.
 */
function findRows(data: unknown): readonly unknown[] {
  if (data === undefined || data === null) return []
  const fields = z.looseObject({}).safeParse(data).data ?? {}
  const lists = Object.keys(fields).filter((name) => Array.isArray(fields[name]))
  const name = rowNames.find((candidate) => lists.includes(candidate)) ?? lists[0] ?? ''
  const rows = z.array(z.unknown()).safeParse(Array.isArray(data) ? data : fields[name]).data
  if (rows !== undefined) return rows
  throw new AppError('api.unreadable', 'The response has no list of rows. Make a single call instead.')
}

interface DescribedCall {
  readonly operation: Operation
  readonly args: CallArguments
  readonly connection: { readonly name: string; readonly addresses: Addresses }
}

/**
 * A curl command with the token as `$PLATFORM_TOKEN` and body secrets as `$SECRET_1` and so on. Fails as `prepare`
 * does.
 */
function curlCode({ operation, args, connection }: DescribedCall): string {
  const { url, body } = prepare(operation, { ...args, body: markSecrets(args.body) }, connection.addresses)
  const lines = [
    `curl -sS -X ${operation.method} ${quoteForSh(url)}`,
    '-H "Authorization: Bearer $PLATFORM_TOKEN"',
    "-H 'Accept: application/json'",
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-raw ${withVariables(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** A `companion` command. A body with secrets comes from standard input, which other programs cannot see. */
function buildCompanionCommand({ operation, args, connection }: DescribedCall): string {
  const body = args.body === undefined ? undefined : JSON.stringify(markSecrets(args.body))
  const hasSecrets = /\\u0001SECRET_1/.test(body ?? '')
  const pairs = (flag: string, values: Readonly<Record<string, unknown>> = {}): string[] =>
    Object.entries(values).map(([name, value]) => `${flag} ${quoteForSh(`${name}=${String(value)}`)}`)
  const parts = [
    `companion api call ${operation.id}`,
    `--connection ${quoteForSh(connection.name)}`,
    ...pairs('--path', args.path),
    ...pairs('--query', args.query),
    ...(body === undefined ? [] : [hasSecrets ? '--body @-' : `--body ${quoteForSh(body)}`]),
  ]
  const call = parts.join(' \\\n  ')
  return hasSecrets && body !== undefined ? `printf '%s' ${withVariables(body)} | ${call}` : call
}

const markSecrets = (body: unknown): unknown => redactBody(body, (index) => `\u0001SECRET_${index + 1}\u0001`)

/** Quotes a text with each placeholder outside of the single quotes, so that the shell expands it. */
function withVariables(body: string): string {
  const quotedBody = `'${body.replaceAll("'", "'\\''")}'`
  return quotedBody.replace(/\\u0001(SECRET_\d+)\\u0001/g, (_, name: string) => `'"$${name}"'`)
}
