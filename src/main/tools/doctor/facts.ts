import type { DoctorFix, Finding, Site, ToolStatus } from '@shared/contract'
import type { DoctorCheck } from '@shared/contract/doctor'
import type { Delivery, Slots, ToolWarning } from '@shared/contract/tools'
import type { Failure, FailureCode } from '@shared/failure'
import type { Clock } from '../../core/ports'
import type { Secret } from '../../core/secret'
import { findFix } from '../../gateway/explain'
import type { GatewayCheck, ListModels } from '../../gateway/probe'
import type { ConflictSearch } from '../conflicting-settings'
import type { Detection } from '../detect'
import type { FoundCredential, FoundSettings, SettingsByFile, WrittenTarget } from '../target'

export type Purpose = {
  readonly gatewayUrl: string
  readonly modelCode: string
  readonly slots: Slots
  /** Known model codes of the plan, possibly incomplete. */
  readonly models: readonly string[]
  readonly delivery: Delivery
  /** Shell line that sets the key variable. Only for the delivery `env`. */
  readonly exportLine?: string
}

/** State of a tool's configuration. `purpose` is undefined if this app did not configure the tool. */
export type ToolState = {
  readonly status: ToolStatus
  readonly drift: readonly string[]
  readonly problem?: Failure | undefined
  readonly purpose?: Purpose | undefined
}

/** Dependencies of a diagnosis of one tool in one scope. Each fails only with an `AppError`. */
export type DoctorDeps = ConflictSearch & {
  readonly site: Site
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  readonly detect: () => Promise<Detection>
  readonly standing: () => Promise<ToolState>
  /** Reads the key as the tool does, from a helper command, key file or variable. Undefined if there is none. */
  readonly readKey: (credential: FoundCredential) => Promise<Secret | undefined>
  readonly keptKey: () => Promise<Secret>
  readonly isSameKey: (a: Secret, failure: Secret) => boolean
  readonly blockers: (settings: SettingsByFile) => Promise<ToolWarning[]>
  readonly check: GatewayCheck
  readonly listModels: ListModels
  /** Whether to send the real request, which uses tokens. */
  readonly sendsRequest?: boolean | undefined
}

export type Examination = { readonly target: WrittenTarget; readonly deps: DoctorDeps }

/** Results of earlier steps. A step is skipped if a result that it needs is missing. */
export type DoctorDetails = {
  readonly settings: SettingsByFile
  readonly found: FoundSettings
  readonly purpose: Purpose
  readonly key: Secret
  /** Whether the gateway responded, with any status. */
  readonly isReached: true
  /** Set if the gateway accepted the key. `models`: model codes, if the gateway lists them. */
  readonly accepted: { readonly models?: readonly string[] }
  /** The tool's base URL, after it was found to be correct. */
  readonly base: string
  readonly modelCode: string
  /** Sends the real request once and caches the result. */
  readonly request: () => ReturnType<GatewayCheck>
}

export type StepResult = {
  readonly findings: readonly Omit<Finding, 'check'>[]
  readonly facts?: Partial<DoctorDetails>
}

export type DoctorStep = {
  readonly check: DoctorCheck
  readonly run: (facts: Partial<DoctorDetails>, examination: Examination) => Promise<StepResult>
}

export const skippedResult: StepResult = { findings: [{ outcome: 'skipped' }] }

/** A check that needs results of earlier steps. It is skipped if any of them is missing. */
export function step<K extends keyof DoctorDetails>(
  check: DoctorCheck,
  needs: readonly K[],
  run: (facts: Pick<DoctorDetails, K>, examination: Examination) => Promise<StepResult>,
): DoctorStep {
  const hasAllNeeds = (facts: Partial<DoctorDetails>): facts is Pick<DoctorDetails, K> =>
    needs.every((name) => facts[name] !== undefined)
  return {
    check,
    run: async (facts, examination) => (hasAllNeeds(facts) ? run(facts, examination) : skippedResult),
  }
}

/** Suggested fix by failure code. `findFix` returns those of gateway failures. */
const fixes: Partial<Record<FailureCode, DoctorFix>> = {
  'vault.unavailable': 'unlockKeychain',
  'vault.keyMissing': 'replaceKey',
  'key.notFound': 'chooseKey',
  'plan.notFound': 'applyAgain',
  'clipboard.noKey': 'applyAgain',
  'input.invalid': 'applyAgain',
  'tool.notConfigured': 'applyAgain',
  'tool.helperFailed': 'applyAgain',
  'tool.otherGateway': 'applyAgain',
  'tool.overridden': 'applyAgain',
  'file.unparsable': 'openFile',
  'file.notStrict': 'openFile',
  'file.notEditable': 'openFile',
  'file.unreadable': 'openFile',
  'address.notAnAddress': 'applyAgain',
  'address.credentials': 'applyAgain',
  'address.insecure': 'applyAgain',
  'net.refused': 'retry',
  'net.hostNotFound': 'retry',
  'net.timeout': 'retry',
  'net.cut': 'retry',
  'net.other': 'retry',
  'relay.off': 'startRelay',
}

type FindingWithoutCheck = Omit<Finding, 'check'>

/** A failed finding with the default fix for its failure code. */
export function buildFailure(failure: Failure, details: Partial<FindingWithoutCheck> = {}): FindingWithoutCheck {
  const fix = fixes[failure.code] ?? findFix(failure.code)
  return { outcome: 'failed', failure, ...(fix === undefined ? {} : { fix }), ...details }
}
