import { setTimeout as wait } from 'node:timers/promises'
import type { Contract, Domain, Handlers, HandlersOf } from '@shared/contract'
import { app, settings, updates } from '@shared/contract/app'
import { budgets } from '@shared/contract/budgets'
import type { Method } from '@shared/contract/common'
import { connections, operations } from '@shared/contract/connections'
import { metrics } from '@shared/contract/metrics'
import { plans } from '@shared/contract/plans'
import { profiles } from '@shared/contract/profiles'
import { quota } from '@shared/contract/quota'
import { register } from '@shared/contract/register'
import { relay } from '@shared/contract/relay'
import { rotation } from '@shared/contract/rotation'
import { sandbox } from '@shared/contract/sandbox'
import { tools } from '@shared/contract/tools'
import { usage } from '@shared/contract/usage'
import { AppError, err, type Failure, ok, type Result } from '@shared/failure'
import { z } from 'zod'
import type { Log } from '../ports'
import { letOthersIn, rowsAtOnce } from '../work-queue'

const resources = async () => (await import('@shared/contract/resources')).resources

/** The parts of the contract that a start asks nothing of, by their domains. Each is loaded with its first call: to build schemas takes time and memory. */
const late = {
  account: async () => (await import('@shared/contract/account')).account,
  containers: resources,
  doctor: async () => (await import('@shared/contract/doctor')).doctor,
  handouts: async () => (await import('@shared/contract/handouts')).handouts,
  mcp: async () => (await import('@shared/contract/mcp')).mcp,
  playground: async () => (await import('@shared/contract/playground')).playground,
  resources,
  team: async () => (await import('@shared/contract/team')).team,
} satisfies { readonly [D in Domain]?: () => Promise<Pick<Contract, keyof HandlersOf<D>>> }

type Late = keyof typeof late

const ready: Omit<Contract, keyof HandlersOf<Late>> = {
  ...{ ...app, ...budgets, ...connections, ...metrics, ...operations, ...plans, ...profiles, ...quota, ...register },
  ...{ ...relay, ...rotation, ...sandbox, ...settings, ...tools, ...updates, ...usage },
}

/** What the contract says of a method, and the domain that it is of; undefined where it has none of that name. */
async function findMethod(name: unknown): Promise<{ method: Method; domain: Domain } | undefined> {
  if (typeof name !== 'string') return undefined
  const domain = name.slice(0, Math.max(0, name.indexOf('.'))) as Domain
  const part: Readonly<Record<string, Method>> = Object.hasOwn(late, domain) ? await late[domain as Late]() : ready
  const method = Object.hasOwn(part, name) ? part[name] : undefined
  return method && { method, domain }
}

/** What one call may carry: more than the largest form of the window, and little enough that looking through it takes no time. */
const limits = { characters: 32_000_000, values: 2_000_000, depth: 100 }

/** Whether an input is made of plain values within the limits. It is looked through before it is parsed: a parser takes time for each value and a stack for each level. */
function isWithinLimits(input: unknown): boolean {
  let { characters, values } = limits
  const fits = (value: unknown, depth: number): boolean => {
    values -= 1
    if (typeof value === 'string') characters -= value.length
    if (values < 0 || characters < 0 || typeof value === 'bigint') return false
    if (typeof value !== 'object' || value === null) return true
    if (depth === 0) return false
    if (Array.isArray(value)) return value.length <= values && value.every((one) => fits(one, depth - 1))
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return false
    return Object.entries(value).every(([name, one]) => {
      characters -= name.length
      return fits(one, depth - 1)
    })
  }
  return fits(input, limits.depth)
}

/** Gives the handlers of a domain, and of others that are there already. */
export type FindHandlers = (domain: Domain) => Promise<Partial<Handlers>>

/**
 * Answers one call from the window: the method is known, the input parses, the handler runs, the output parses strictly.
 * Always resolves with a `Result`; what is unexpected is logged and told without its details.
 */
export async function answerCall(
  { handlersOf, log }: { handlersOf: FindHandlers; log: Log },
  called: unknown,
  input: unknown,
): Promise<Result<unknown, Failure>> {
  const name = typeof called === 'string' ? called : ''
  try {
    const found = await findMethod(called)
    if (!found) return err({ code: 'bridge.unknownMethod', message: 'The window called an unknown method.' })
    if (!isWithinLimits(input))
      return err({ code: 'input.invalid', message: `${name}: the input is too large, or is not made of plain values.` })
    const parsed = found.method.input.safeParse(input)
    if (!parsed.success) return err(misfit(name, parsed.error))
    // The parse above gave exactly what this handler takes; the table's types cannot say so for a name known only now.
    const handler = Reflect.get(await handlersOf(found.domain), name) as (input: unknown) => unknown
    return await readOutput(name, found.method.output, await handler(parsed.data), log)
  } catch (error) {
    if (error instanceof AppError) {
      if (error.failure.code === 'internal.unexpected') log.error(name, error.cause ?? error)
      return err(error.failure)
    }
    log.error(name, error)
    return err({ code: 'internal.unexpected', message: `${name} failed unexpectedly. The log file has the details.` })
  }
}

function misfit(name: string, { issues: [issue] }: z.ZodError): Failure {
  const field = issue?.path.join('.')
  return {
    code: 'input.invalid',
    message: `${name}: ${issue?.message ?? 'the input does not fit'}`,
    ...(field ? { field } : {}),
  }
}

async function readOutput(
  name: string,
  schema: z.ZodType,
  output: unknown,
  log: Log,
): Promise<Result<unknown, Failure>> {
  const parsed = await parseInTurns(schema, output)
  if (parsed.success) return ok(parsed.data)
  const issues = parsed.error.issues.map((issue) => `${issue.code} at ${issue.path.join('.')}`)
  log.info('bridge.badOutput', { name, issues })
  return err({ code: 'internal.unexpected', message: `${name} returned a value that does not match its contract.` })
}

/** As `safeParse`. A list may have tens of thousands of rows, which takes a while: it is looked through in parts, with other calls in between. */
async function parseInTurns(schema: z.ZodType, output: unknown): Promise<z.ZodSafeParseResult<unknown>> {
  if (!(schema instanceof z.ZodArray && Array.isArray(output)) || output.length <= rowsAtOnce)
    return schema.safeParse(output)
  const rows: unknown[] = []
  for (let from = 0; from < output.length; from += rowsAtOnce) {
    await letOthersIn()
    const part = schema.safeParse(output.slice(from, from + rowsAtOnce))
    if (!part.success) return part
    rows.push(...part.data)
  }
  return { success: true, data: rows }
}

/** How long charts are held back at most, in ms. */
const longestHoldMs = 300

type Answer = (name: unknown, input: unknown) => Promise<Result<unknown, Failure>>

/** Home is shown once its first list of tools is there. What its charts ask for starts a thread and would hold that up: it is answered after it. */
export function toolsFirst(answer: Answer): Answer {
  let listed: Promise<unknown> | undefined
  return async (name, input) => {
    const isOfChart = name === 'usage.series' || name === 'quota.list'
    if (isOfChart && listed) await Promise.race([listed, wait(longestHoldMs)])
    const answered = answer(name, input)
    if (name === 'tools.list') listed ??= answered
    return answered
  }
}

/** Calls of the window that take long, by the ids the window gave them. */
export interface RunningCalls {
  /** Runs one that `cancel` of the same id stops. */
  run<T>(callId: string, call: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Stops one; one that has ended is no error. */
  cancel(callId: string): void
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>()
  return {
    async run(callId, call) {
      const controller = new AbortController()
      running.set(callId, controller)
      try {
        return await call(controller.signal)
      } finally {
        if (running.get(callId) === controller) running.delete(callId)
      }
    },
    cancel: (callId) => running.get(callId)?.abort(),
  }
}
