import { AppError, type Failure } from '@shared/failure'
import { z } from 'zod'
import type { PlatformAnswer } from '../platform/exchange'
import type { CallArguments } from '../platform/prepare'
import { checkArguments, findOperation } from './api-arguments'
import { followOperation } from './api-operations'
import type { Targets } from './api-target'
import type { CommandContext } from './context'
import { answerInOrder } from './in-order'
import { jsonText } from './output'
import { statusOf } from './status-of'
import { Turns } from './turns'

const MOST_AT_ONCE = 8

const Line = z.strictObject({
  id: z.string(),
  path: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional(),
})

/** A line of standard output: what one line of standard input was answered with. */
type Answer = { readonly id: string | null } & (
  | { readonly ok: true; readonly status: number; readonly data: unknown }
  | { readonly ok: false; readonly status?: number; readonly failure: Failure }
)

/**
 * Answers each line of standard input, a call as JSON, with one line, in order, until the input ends or nobody reads. A
 * line that cannot be carried out is answered with its failure. What only reads goes at the same time as its neighbours.
 * Rejects at the end with what was a mistake of ours.
 */
export async function serveApi(context: CommandContext, targets: Targets): Promise<void> {
  const { pipes } = context
  const bugs: unknown[] = []
  const session = { context, targets, turns: new Turns(), noteBug: (error: unknown) => void bugs.push(error) }
  await answerInOrder({
    items: filled(pipes.lines()),
    most: MOST_AT_ONCE,
    answer: (line) => answerLine(line, session),
    write: (answer) => pipes.write(`${jsonText(answer)}\n`),
  })
  if (bugs.length > 0) throw bugs[0]
}

async function* filled(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  for await (const line of lines) if (line.trim() !== '') yield line
}

interface Session {
  readonly context: CommandContext
  readonly targets: Targets
  readonly turns: Turns
  /** Hears what is no failure but a mistake of ours. */
  readonly noteBug: (error: unknown) => void
}

async function answerLine(line: string, session: Session): Promise<Answer> {
  const asked = readJson(line)
  const id = z.object({ id: z.string() }).safeParse(asked).data?.id ?? null
  try {
    const { status, data } = await carryOut(readLine(asked), session)
    return { id, ok: true, status, data: data ?? null }
  } catch (error) {
    if (error instanceof AppError) return refused(id, error.failure)
    session.noteBug(error)
    return { id, ok: false, failure: unexpected }
  }
}

/** Text that is no JSON is undefined, which JSON cannot say. */
function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function readLine(asked: unknown): z.infer<typeof Line> {
  if (asked === undefined) throw invalid('The line is not JSON. Write one object per line.')
  const { data, error } = Line.safeParse(asked)
  if (data !== undefined) return data
  const [issue] = error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const fault = unknown === undefined ? `${issue?.path.join('.') || 'the line'} does not fit` : `${unknown} is unknown`
  throw invalid(`${fault}. A call is {"id", "path", "query", "body"}: a text, two objects of plain values, any JSON.`)
}

/** Takes its turn at once, before anything is waited for: turns go in the order of the lines. */
function carryOut({ id, ...args }: z.infer<typeof Line>, session: Session): Promise<PlatformAnswer> {
  const { context, targets, turns } = session
  const operation = findOperation(id)
  const given = compact(args)
  checkArguments(operation, given)
  const call = async (): Promise<PlatformAnswer> => {
    const { client, connectionId } = await targets.of(operation)
    const answer = await client.call(operation.id, given, { signal: context.pipes.closed })
    followOperation(context.core, { id: operation.id, args: given, connectionId })
    return answer
  }
  return turns.run(call, { changes: !onlyReads(operation) })
}

const compact = ({ path, query, body }: Omit<z.infer<typeof Line>, 'id'>): CallArguments => ({
  ...(path === undefined ? {} : { path }),
  ...(query === undefined ? {} : { query }),
  ...(body === undefined ? {} : { body }),
})

/** What is asked with POST although it changes nothing. */
const reading: readonly string[] = ['memory.records.search', 'runtime.agentRuntimes.logs', 'runtime.endpoints.logs']

const onlyReads = ({ id, method, service }: ReturnType<typeof findOperation>): boolean =>
  method === 'GET' || reading.includes(id) || service === 'gateway' || service === 'inference'

function refused(id: string | null, failure: Failure): Answer {
  const status = statusOf(failure)
  return { id, ok: false, ...(status === undefined ? {} : { status }), failure }
}

const unexpected: Failure = {
  code: 'internal.unexpected',
  message: 'Something failed unexpectedly in this call. Try it once more, and report it when it stays so.',
}

const invalid = (message: string): AppError => new AppError('input.invalid', message)
