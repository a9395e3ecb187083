import type { DoctorFix, Finding, Site, ToolStatus } from '@shared/contract'
import type { DoctorCheck } from '@shared/contract/doctor'
import type { Delivery, Slots, ToolWarning } from '@shared/contract/tools'
import type { Failure, FailureCode, GatewayCode } from '@shared/failure'
import type { GatewayCheck, ListModels } from '../../gateway/probe'
import type { Clock } from '../../ports'
import type { Secret } from '../../secret'
import type { ConflictSearch } from '../conflicting-settings'
import type { Detection } from '../detect'
import type { FoundCredential, FoundSettings, SettingsByFile, WrittenTarget } from '../target'

/** What a tool was configured for, with its plan as it is now. */
export type Purpose = {
  readonly gatewayUrl: string
  readonly modelCode: string
  readonly slots: Slots
  /** The model codes known of the plan; they may be incomplete. */
  readonly models: readonly string[]
  readonly delivery: Delivery
  /** With `env`: the line for a shell that sets the variable. */
  readonly exportLine?: string
}

/** How a tool's files stand; without `purpose` it is not configured by this app. */
export type ToolState = {
  readonly status: ToolStatus
  readonly drift: readonly string[]
  readonly problem?: Failure | undefined
  readonly purpose?: Purpose | undefined
}

/** What the doctor is given for one tool at one site. Everything that fails, fails with an `AppError`. */
export type DoctorDeps = ConflictSearch & {
  readonly site: Site
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  readonly detect: () => Promise<Detection>
  readonly standing: () => Promise<ToolState>
  /** The key as the tool gets it: its helper command is run, its key file or variable read. Undefined: there is none. */
  readonly keyOf: (credential: FoundCredential) => Promise<Secret | undefined>
  /** The key that this app keeps for what the tool was configured with. */
  readonly keptKey: () => Promise<Secret>
  readonly isSameKey: (one: Secret, other: Secret) => boolean
  /** What keeps the tool from its plan, with the settings of its files as they are now. */
  readonly blockers: (settings: SettingsByFile) => Promise<ToolWarning[]>
  readonly check: GatewayCheck
  readonly listModels: ListModels
  /** Whether the real request is sent; it uses tokens. */
  readonly sendsRequest?: boolean | undefined
}

/** One examination: the tool and what is known about its surroundings. */
export type Examination = { readonly target: WrittenTarget; readonly deps: DoctorDeps }

/** What has been found out so far. A fact that is missing keeps the steps that need it from being made. */
export type Facts = {
  readonly settings: SettingsByFile
  readonly found: FoundSettings
  readonly purpose: Purpose
  readonly key: Secret
  /** The gateway answers, whatever it says. */
  readonly isReached: true
  /** The gateway accepts the key; `models` when it lists them. */
  readonly accepted: { readonly models?: readonly string[] }
  /** The base in the settings, which is right. */
  readonly base: string
  readonly modelCode: string
  /** The real request, made once however often it is asked for. */
  readonly request: () => ReturnType<GatewayCheck>
}

/** What a step tells: findings without their check, and new facts. */
export type StepResult = {
  readonly findings: readonly Omit<Finding, 'check'>[]
  readonly facts?: Partial<Facts>
}

/** One check. */
export type DoctorStep = {
  readonly check: DoctorCheck
  readonly run: (facts: Partial<Facts>, examination: Examination) => Promise<StepResult>
}

/** What a check tells that could not be made. */
export const skipped: StepResult = { findings: [{ outcome: 'skipped' }] }

/** A check that is made when all facts it needs are there, and else skipped. */
export function step<K extends keyof Facts>(
  check: DoctorCheck,
  needs: readonly K[],
  run: (facts: Pick<Facts, K>, examination: Examination) => Promise<StepResult>,
): DoctorStep {
  return { check, run: async (facts, examination) => (hasAll(facts, needs) ? run(facts, examination) : skipped) }
}

function hasAll<K extends keyof Facts>(facts: Partial<Facts>, needs: readonly K[]): facts is Pick<Facts, K> {
  return needs.every((name) => facts[name] !== undefined)
}

/** What a button can do about a failure; every failure of the gateway has an entry. */
const fixes: Readonly<Record<GatewayCode, DoctorFix | undefined>> &
  Partial<Record<FailureCode, DoctorFix | undefined>> = {
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
  'gateway.keyRejected': 'replaceKey',
  'gateway.planExpired': 'chooseKey',
  'gateway.modelNotInPlan': 'chooseModel',
  'gateway.quotaExhausted': 'chooseModel',
  'gateway.wrongSuffix': 'applyAgain',
  'gateway.rateLimited': 'retry',
  'gateway.serverError': 'retry',
  'gateway.badRequest': undefined,
  'gateway.notAGateway': undefined,
  'net.refused': 'retry',
  'net.hostNotFound': 'retry',
  'net.timeout': 'retry',
  'net.cut': 'retry',
  'net.other': 'retry',
  'relay.off': 'startRelay',
}

type FixText = Omit<Finding, 'check'>

/** A finding of something that is wrong, with the fix that its failure has unless another is given. */
export function failed(failure: Failure, rest: Partial<FixText> = {}): FixText {
  const fix = fixes[failure.code]
  return { outcome: 'failed', failure, ...(fix === undefined ? {} : { fix }), ...rest }
}
