import { contract, type Domain, type Handlers, type MethodName } from '@shared/contract'
import type { Method } from '@shared/contract/common'
import { AppError, err, type Failure, ok, type Result } from '@shared/failure'
import type { Log } from '../core/ports'

/** Maximum size of the input of one call. The window's largest form is smaller, and checking it is still fast. */
const limits = { characters: 32_000_000, values: 2_000_000, depth: 100 }

/** Whether an input has only plain values within the limits. The parser needs time per value and stack per level. */
function isWithinLimits(input: unknown): boolean {
  let { characters, values } = limits
  const isWithinLimits = (value: unknown, depth: number): boolean => {
    values -= 1
    if (typeof value === 'string') characters -= value.length
    if (values < 0 || characters < 0 || typeof value === 'bigint') return false
    if (typeof value !== 'object' || value === null) return true
    if (depth === 0) return false
    if (Array.isArray(value))
      return value.length <= values && value.every((nestedValue) => isWithinLimits(nestedValue, depth - 1))
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return false
    return Object.entries(value).every(([name, nestedValue]) => {
      characters -= name.length
      return isWithinLimits(nestedValue, depth - 1)
    })
  }
  return isWithinLimits(input, limits.depth)
}

/** Loads the handlers of a domain. The result may include handlers of other domains. */
export type LoadHandlers = (domain: Domain) => Promise<Partial<Handlers>>

/** Answers a call of the window with strictly parsed input and output. Always resolves, and hides unexpected errors. */
export async function answerCall(
  { loadHandlers, log }: { loadHandlers: LoadHandlers; log: Log },
  called: unknown,
  input: unknown,
): Promise<Result<unknown, Failure>> {
  const name = typeof called === 'string' ? called : ''
  try {
    if (!Object.hasOwn(contract, name))
      return err({ code: 'bridge.unknownMethod', message: 'The window called an unknown method.' })
    if (!isWithinLimits(input))
      return err({ code: 'input.invalid', message: `${name}: the input is too large, or is not made of plain values.` })
    const method: Method = contract[name as MethodName]
    const parseResult = method.input.safeParse(input)
    if (!parseResult.success) {
      const [issue] = parseResult.error.issues
      const field = issue?.path.join('.')
      const message = `${name}: ${issue?.message ?? 'the input does not fit'}`
      return err({ code: 'input.invalid', message, ...(field ? { field } : {}) })
    }
    // The input was parsed for this handler, but the types cannot express it for a dynamic name.
    const handlers = await loadHandlers(name.slice(0, name.indexOf('.')) as Domain)
    const output = await (Reflect.get(handlers, name) as (input: unknown) => unknown)(parseResult.data)
    const outputResult = method.output.safeParse(output === undefined ? {} : output)
    if (outputResult.success) return ok(outputResult.data)
    const issues = outputResult.error.issues.map((issue) => `${issue.code} at ${issue.path.join('.')}`)
    log.info('bridge.badOutput', { name, issues })
    return err({ code: 'internal.unexpected', message: `${name} returned a value that does not match its contract.` })
  } catch (error) {
    if (error instanceof AppError) {
      if (error.failure.code === 'internal.unexpected') log.error(name, error.cause ?? error)
      return err(error.failure)
    }
    log.error(name, error)
    return err({ code: 'internal.unexpected', message: `${name} failed unexpectedly. The log file has the details.` })
  }
}

export type RunningCalls = ReturnType<typeof createRunningCalls>

/** Running calls that the window can cancel by their ids. */
export function createRunningCalls() {
  const runningCalls = new Map<string, AbortController>()
  return {
    /** Runs a call that `cancel` with the same id can abort. */
    async run<T>(callId: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const controller = new AbortController()
      runningCalls.set(callId, controller)
      try {
        return await call(controller.signal)
      } finally {
        if (runningCalls.get(callId) === controller) runningCalls.delete(callId)
      }
    },
    /** Aborts a call. Does nothing if the call has ended. */
    cancel: (callId: string): void => runningCalls.get(callId)?.abort(),
  }
}

type HandlerByName<Name extends string> = Name extends keyof Handlers ? Handlers[Name] : never

/** Names of the service's methods that fit the contract method of the same name by their types. */
type BindableMethod<D extends Domain, Service> = {
  [N in keyof Service & string]: Service[N] extends (...args: infer Args) => ReturnType<HandlerByName<`${D}.${N}`>>
    ? Parameters<HandlerByName<`${D}.${N}`>> extends Args
      ? N
      : Args extends []
        ? N
        : never
    : never
}[keyof Service & string]

/** Handlers of a domain that are methods of the service with fitting names and types. Spread before other handlers. */
export function bind<D extends Domain, Service extends object>(
  domain: D,
  service: Service,
): Pick<Handlers, Extract<keyof Handlers, `${D}.${BindableMethod<D, Service>}`>> {
  const handlers = Object.keys(contract).flatMap((name) => {
    const [itsDomain, methodName = ''] = name.split('.')
    const method: unknown = itsDomain === domain ? Reflect.get(service, methodName) : undefined
    return typeof method === 'function' ? [[name, (input: unknown) => Reflect.apply(method, service, [input])]] : []
  })
  // The type `BindableMethod` ensures that names and signatures match.
  return Object.fromEntries(handlers)
}
