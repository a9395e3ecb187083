import { contract, type Handlers, type MethodName } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import type { Log } from './ports'

const isMethodName = (name: unknown): name is MethodName => typeof name === 'string' && Object.hasOwn(contract, name)

/**
 * Answers one call from the window: the method is known, the input parses, the handler runs, the output parses strictly.
 * Always resolves with a `Result`; what is unexpected is logged and told without its details.
 */
export async function answerCall(
  { handlers, log }: { handlers: Handlers; log: Log },
  name: unknown,
  input: unknown,
): Promise<Result<unknown, Failure>> {
  if (!isMethodName(name))
    return err({ code: 'bridge.unknownMethod', message: 'The window asked for something unknown.' })
  const parsed = contract[name].input.safeParse(input)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = issue?.path.join('.')
    return err({
      code: 'input.invalid',
      message: `${name}: ${issue?.message ?? 'the input does not fit'}`,
      ...(field ? { field } : {}),
    })
  }
  try {
    // The parse above gave exactly what this handler takes; the table's types cannot say so for a name known only now.
    const handler = handlers[name] as (input: unknown) => unknown
    return readOutput(name, await handler(parsed.data), log)
  } catch (error) {
    if (error instanceof AppError) {
      if (error.failure.code === 'internal.unexpected') log.error(name, error.cause ?? error)
      return err(error.failure)
    }
    log.error(name, error)
    return err({ code: 'internal.unexpected', message: `${name} failed unexpectedly. The log file has the details.` })
  }
}

function readOutput(name: MethodName, output: unknown, log: Log): Result<unknown, Failure> {
  const parsed = contract[name].output.safeParse(output)
  if (parsed.success) return ok(parsed.data)
  const issues = parsed.error.issues.map((issue) => `${issue.code} at ${issue.path.join('.')}`)
  log.info('bridge.badOutput', { name, issues })
  return err({ code: 'internal.unexpected', message: `${name} gave an answer that does not fit its contract.` })
}
