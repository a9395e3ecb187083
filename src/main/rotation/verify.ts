import { AppError, type Failure } from '@shared/failure'
import type { WrittenSetup } from '../setups/written'
import { changedSince, isOf, keyHere, noteTool, usersNow, type Which } from './repoint'
import { isAccepted } from './settle'
import { done, type Run, type StepOutcome, skipped } from './step'

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
