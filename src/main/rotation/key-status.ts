import type { CheckView } from '@shared/contract'
import { AppError, type Failure, type FailureCode } from '@shared/failure'
import type { WrittenSetup } from '../setups/setup-views'
import { done, type Run, type StepOutcome, skipped } from './ports'
import { changedSince, isOf, keyHere, noteTool, usersNow, type Which } from './switch-key'

const defaultPatienceMs = 60_000
const firstPauseMs = 250
const longestPauseMs = 4_000
/** A tool that has read its key sends with it within this time, all but ever. */
const drainMs = 2_000

/** These the gateway says only once it has accepted the key. */
const saidOfGoodKeys: readonly FailureCode[] = ['gateway.modelNotInPlan', 'gateway.quotaExhausted']

/** True when the gateway accepts the key, whatever else it says. */
export const isAccepted = (check: CheckView): boolean => check.ok || saidOfGoodKeys.includes(check.failure.code)

/** True when the gateway refuses the key itself. */
export const isRefused = (check: CheckView): boolean => !check.ok && check.failure.code === 'gateway.keyRejected'

/** Asks the gateway until the answer is the wanted one, or patience ends; resolves with the last answer. */
export async function askUntil(
  isIt: (check: CheckView) => boolean,
  ask: () => Promise<CheckView>,
  { ports: { clock, sleep, patienceMs = defaultPatienceMs }, signal }: Run,
): Promise<CheckView> {
  const until = clock().getTime() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const answer = await ask()
    if (isIt(answer) || clock().getTime() + pauseMs > until) return answer
    await sleep(pauseMs, signal)
  }
}

/** Resolves once the gateway accepts a key. Fails with what it says instead. */
export async function requireAccepted(run: Run, ask: () => Promise<CheckView>): Promise<void> {
  // A key that was just made or enabled may not have reached every part of the gateway yet.
  const check = await askUntil((answer) => !isRefused(answer), ask, run)
  if (!check.ok && !isAccepted(check)) throw thrown(check.failure)
}

/** Lets requests get through that tools have begun with the key they had, before that key is taken away. */
export async function drain({ ports: { sleep }, signal, record }: Run): Promise<void> {
  if (record().tools.length > 0) await sleep(drainMs, signal)
}

/** A failure as it is thrown. */
export function thrown({ code, message, ...details }: Extract<CheckView, { ok: false }>['failure']): AppError {
  return new AppError(code, message, details)
}

/** One real small request of each tool that was pointed at a key; what fails is in the record, and blocks. */
export async function verifyWith(run: Run, which: Which): Promise<StepOutcome> {
  const { setups } = await usersNow(run, which)
  for (const tool of run.record().tools) {
    if (tool.state !== 'repointed') continue
    const setup = setups.find(isOf(tool))
    const failure = setup ? await failureOf(run, setup) : changedSince(tool.toolName)
    noteTool(run, tool, ({ failure: _, ...noted }) =>
      failure ? { ...noted, state: 'failed', failure } : { ...noted, state: 'verified' },
    )
  }
  const { tools } = run.record()
  if (tools.some(({ state }) => state !== 'verified')) return { kind: 'blocked', isLast: true }
  return tools.length === 0 || keyHere(run, which) === undefined ? skipped : done
}

async function failureOf({ ports: { tools } }: Run, setup: WrittenSetup): Promise<Failure | undefined> {
  const { toolId, toolName, site, status, problem } = setup
  if (status !== 'configured') return problem ?? changedSince(toolName)
  try {
    const check = await tools.verify({ toolId, site })
    return check.ok || isAccepted(check) ? undefined : check.failure
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
}
