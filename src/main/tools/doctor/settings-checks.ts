import type { ToolWarning } from '@shared/contract/tools'
import { AppError, type Failure } from '@shared/failure'
import { editors } from '../editors'
import type { Json } from '../editors/json-value'
import { refusalOf } from '../file-errors'
import { readSnapshot, textOf } from '../files'
import { rivalsOf, rivalWarnings } from '../rivals'
import type { TargetFile } from '../target'
import { type Examination, type Step, skipped, step, type Told } from './facts'
import { failed } from './fixes'

/** Whether the tool is on this machine. */
export const installed = step('installed', [], async (_facts, { target, deps }) => {
  const { installed: isThere, executable } = await deps.detect()
  const subject = executable ?? target.executables[0] ?? target.name
  if (isThere) return { findings: [{ outcome: 'ok', subject }] }
  const { install } = target
  if (install === undefined) return { findings: [{ outcome: 'failed', subject }] }
  const text = 'command' in install ? install.command : install.url
  return { findings: [{ outcome: 'failed', subject, fix: 'install', text }] }
})

/** Whether the tool can read each of its settings files that is there. */
export const fileParses = step('fileParses', [], async (_facts, examination) => {
  const { target, deps } = examination
  const read = await Promise.all(target.files.map((file) => readSettings(file, examination)))
  const findings = read.flatMap(({ path, failure, isThere }) => {
    if (failure !== undefined) return [failed(failure, { subject: path })]
    return isThere ? [{ outcome: 'ok' as const, subject: path }] : []
  })
  if (read.some(({ failure }) => failure !== undefined)) return { findings }
  const settings = Object.fromEntries(read.map(({ id, value }) => [id, value]))
  const facts = { settings, found: target.readBack(settings, deps.environment) }
  return findings.length === 0 ? { ...skipped, facts } : { findings, facts }
})

type Read = {
  readonly id: string
  readonly path: string
  readonly isThere: boolean
  readonly value: Json
  readonly failure?: Failure
}

async function readSettings(file: TargetFile, { deps: { environment, disk } }: Examination): Promise<Read> {
  const path = file.path(environment)
  const nothing = { id: file.id, path: path ?? '', isThere: false, value: {} }
  if (path === undefined) return nothing
  try {
    const text = textOf(await readSnapshot(path, disk))
    if (text === undefined) return nothing
    const parsed = editors[file.format].parse(text)
    if (parsed.ok) return { ...nothing, isThere: true, value: parsed.value }
    return { ...nothing, isThere: true, failure: refusalOf(parsed.error, path).failure }
  } catch (error) {
    if (error instanceof AppError) return { ...nothing, isThere: true, failure: error.failure }
    throw error
  }
}

/** Whether the settings are as this app wrote them. What was changed since may still work, so the checks go on. */
export const ownedValues = step('ownedValues', ['settings'], async (_facts, { target, deps }): Promise<Told> => {
  const { status, drift, problem, purpose } = await deps.standing()
  if (problem !== undefined && status === 'unreadable') return { findings: [failed(problem)] }
  if (purpose === undefined || status === 'absent' || status === 'otherwise') {
    const message = `${target.name} is not configured by this app. Configure it.`
    return { findings: [failed({ code: 'tool.notConfigured', message })] }
  }
  if (drift.length === 0) return { findings: [{ outcome: 'ok' }], facts: { purpose } }
  return { findings: [{ outcome: 'warning', subject: drift.join(', '), fix: 'applyAgain' }], facts: { purpose } }
})

/** Whether something else would win over the settings. */
export const rivals: Step = {
  check: 'rivals',
  run: async ({ purpose }, { target, deps }) => {
    const warnings = await rivalWarnings(rivalsOf(target, purpose?.delivery ?? target.deliveries[0]), deps)
    return { findings: warnings.length === 0 ? [{ outcome: 'ok' }] : warnings.map(ofWarning) }
  },
}

function ofWarning({ subject, path, fix, text }: ToolWarning): Told['findings'][number] {
  const named = [path, subject].filter((part) => part !== undefined).join(': ')
  return {
    outcome: 'warning',
    subject: named,
    ...(fix === undefined || fix === 'takeOut' ? {} : { fix }),
    ...(text === undefined ? {} : { text }),
  }
}
