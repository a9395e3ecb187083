import type { DoctorReport, Finding } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { WrittenTarget } from '../target'
import type { DoctorDeps, Examination, Facts, Step, Told } from './facts'
import { failed } from './fixes'
import { suffixRight } from './gateway-checks'
import { helperRuns, keyAlive } from './key-checks'
import { modelInPlan, realRequest } from './model-checks'
import { fileParses, installed, ownedValues, rivals } from './settings-checks'

/** In the order of `DoctorCheck`. */
const steps: readonly Step[] = [
  installed,
  fileParses,
  ownedValues,
  rivals,
  helperRuns,
  keyAlive,
  suffixRight,
  modelInPlan,
  realRequest,
]

/** Examines one tool at one site; changes nothing, and sends one real request. Rejects with `net.cancelled` when it is left. */
export async function examine(target: WrittenTarget, deps: DoctorDeps): Promise<DoctorReport> {
  const at = deps.clock().toISOString()
  const findings: Finding[] = []
  let facts: Partial<Facts> = {}
  for (const step of steps) {
    const told = await untilCancelled(make(step, facts, { target, deps }), deps.signal)
    findings.push(...told.findings.map((finding) => ({ check: step.check, ...finding })))
    facts = { ...facts, ...told.facts }
  }
  return { toolId: target.id, toolName: target.name, site: deps.site, at, outcome: worstOf(findings), findings }
}

async function make({ run }: Step, facts: Partial<Facts>, examination: Examination): Promise<Told> {
  try {
    return await run(facts, examination)
  } catch (error) {
    if (error instanceof AppError) return { findings: [failed(error.failure)] }
    throw error
  }
}

/** A helper command or a shell may take its time; who cancels need not wait for it. */
async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  let onAbort = (): void => undefined
  const cancelled = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new AppError('net.cancelled', 'The examination was cancelled.'))
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
  return Promise.race([cancelled, work]).finally(() => signal.removeEventListener('abort', onAbort))
}

function worstOf(findings: readonly Finding[]): DoctorReport['outcome'] {
  const outcomes = findings.map(({ outcome }) => outcome)
  if (outcomes.includes('failed')) return 'failed'
  return outcomes.includes('warning') ? 'warning' : 'ok'
}
