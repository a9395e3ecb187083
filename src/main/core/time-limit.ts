import { type Context, createContext, Script } from 'node:vm'

const script = new Script('compute()')
const globals: { compute?: () => void } = {}
let context: Context | undefined

/** Runs synchronous code, also a regular expression. Returns undefined if it was interrupted by the timeout. */
export function runWithTimeout<Result>(timeoutMs: number, compute: () => Result): { value: Result } | undefined {
  let result: { value: Result } | undefined
  globals.compute = () => {
    result = { value: compute() }
  }
  try {
    context ??= createContext(globals)
    script.runInContext(context, { timeout: timeoutMs })
    return result
  } catch (error) {
    // The error may come from the other context, where it is no instance of this context's `Error`.
    if (Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
