import { z } from 'zod'
import { Failure } from '../failure'
import { method } from './common'
import { Site, ToolLocation } from './tools'

/** Checks of the doctor, in order. `skipped` when a required earlier check failed. */
export const DoctorCheck = z.enum([
  'installed',
  'fileParses',
  'ownedValues',
  'rivals',
  'helperRuns',
  'keyAlive',
  'suffixRight',
  'modelInPlan',
  'realRequest',
])
export type DoctorCheck = z.infer<typeof DoctorCheck>

/** Fix of a finding, offered in the window and the CLI. */
export const DoctorFix = z.enum([
  'applyAgain',
  'undo',
  'openFile',
  'chooseModel',
  'chooseKey',
  'replaceKey',
  'copyLine',
  'install',
  'unlockKeychain',
  'retry',
  'startRelay',
])
export type DoctorFix = z.infer<typeof DoctorFix>

export const Finding = z.strictObject({
  check: DoctorCheck,
  outcome: z.enum(['ok', 'warning', 'failed', 'skipped']),
  /** Affected file, variable, setting, model or address. */
  subject: z.string().optional(),
  failure: Failure.optional(),
  fix: DoctorFix.optional(),
  /** For `copyLine`. */
  text: z.string().optional(),
  /** For `realRequest`: the cost, as counted by the gateway. */
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  durationMs: z.number().optional(),
})
export type Finding = z.infer<typeof Finding>

export const DoctorReport = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  site: Site,
  at: z.iso.datetime(),
  /** Worst outcome of the findings. */
  outcome: z.enum(['ok', 'warning', 'failed']),
  findings: z.array(Finding),
})
export type DoctorReport = z.infer<typeof DoctorReport>

export const doctor = {
  /** Diagnoses a configured tool with one real request, which costs a few tokens. `callId` allows canceling. */
  'doctor.run': method(z.strictObject({ ...ToolLocation.shape, callId: z.string() }), DoctorReport),
}
