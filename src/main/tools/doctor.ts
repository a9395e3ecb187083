import type { CheckView, DoctorFix, DoctorReport, Finding, Site, ToolStatus } from '@shared/contract'
import type { Delivery, DoctorCheck, Slots, ToolWarning } from '@shared/contract/tools'
import { AppError, type Failure, type FailureCode, toAppError } from '@shared/failure'
import { getOtherShape, isSameOrigin, requestAddress } from '../core/net/address'
import { withAbort } from '../core/net/deadline'
import type { Clock } from '../core/ports'
import { Secret } from '../core/secret'
import { findFix } from '../gateway/explain'
import type { GatewayCheck, GatewayProbeRequest, ListModels } from '../gateway/probe'
import { type ConflictSearch, createOverriddenFailure, findVariableConflicts } from './conflicting-settings'
import type { Detection } from './detect'
import { readTargetFile, toSettingsByFile } from './status'
import type { FoundCredential, FoundSettings, SettingsByFile, WrittenTarget } from './target'

type Purpose = {
  readonly gatewayUrl: string
  readonly modelCode: string
  readonly slots: Slots
  /** Known model codes of the plan, possibly incomplete. */
  readonly models: readonly string[]
  readonly delivery: Delivery
  /** Shell line that sets the key variable. Only for the delivery `env`. */
  readonly exportLine?: string
}

/** Dependencies of a diagnosis of one tool in one scope. Each fails only with an `AppError`. */
export type DoctorDeps = ConflictSearch & {
  readonly site: Site
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  readonly detect: () => Promise<Detection>
  /** State of the tool's configuration. `purpose` is undefined if this app did not configure the tool. */
  readonly state: {
    readonly status: ToolStatus
    readonly drift: readonly string[]
    readonly problem?: Failure | undefined
    readonly purpose?: Purpose | undefined
  }
  /** Reads the key as the tool does, from a helper command, key file or variable. Undefined if there is none. */
  readonly readKey: (credential: FoundCredential) => Promise<Secret | undefined>
  readonly keptKey: () => Promise<Secret>
  readonly blockers: (settings: SettingsByFile) => Promise<ToolWarning[]>
  readonly check: GatewayCheck
  readonly listModels: ListModels
  /** Whether to send the real request, which uses tokens. */
  readonly sendsRequest?: boolean | undefined
}

type Examination = { readonly target: WrittenTarget; readonly deps: DoctorDeps }

/** Results of earlier steps. A step is skipped if a result that it needs is missing. */
type DoctorDetails = {
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

type FindingWithoutCheck = Omit<Finding, 'check'>

type StepResult = {
  readonly findings: readonly FindingWithoutCheck[]
  readonly facts?: Partial<DoctorDetails>
}

type DoctorStep = {
  readonly check: DoctorCheck
  readonly run: (facts: Partial<DoctorDetails>, examination: Examination) => Promise<StepResult>
}

const skippedResult: StepResult = { findings: [{ outcome: 'skipped' }] }

/** A check that needs results of earlier steps. It is skipped if any of them is missing. */
function step<K extends keyof DoctorDetails>(
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
  'clipboard.noKey': 'applyAgain',
  'input.invalid': 'applyAgain',
  'tool.notConfigured': 'applyAgain',
  'tool.helperFailed': 'applyAgain',
  'tool.otherGateway': 'applyAgain',
  'tool.overridden': 'applyAgain',
  'file.unparsable': 'openFile',
  'file.notStrict': 'openFile',
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

/** A failed finding with the default fix for its failure code. */
function buildFailure(failure: Failure, details: Partial<FindingWithoutCheck> = {}): FindingWithoutCheck {
  return { outcome: 'failed', failure, fix: fixes[failure.code] ?? findFix(failure.code), ...details }
}

/** Checks that the tool's base URL responds. If not, searches for the correct URL. */
const checkSuffix = step(
  'suffixRight',
  ['found', 'purpose', 'key', 'isReached'],
  async ({ found, purpose: { gatewayUrl }, key }, examination): Promise<StepResult> => {
    const { target } = examination
    const { base } = found
    if (base === undefined)
      throw new AppError('tool.notConfigured', `${target.name} has no address in its settings. Configure it again.`)
    const subject = requestAddress(base, target.requestSuffix)
    if (!isSameOrigin(base, gatewayUrl)) {
      // Omit the other gateway's address, because it may contain secrets.
      const message = `${target.name} uses another address than the plan's gateway ${gatewayUrl}. No key was sent there. Configure it again.`
      throw new AppError('tool.otherGateway', message)
    }
    const view = await probeBaseUrl(base, key, examination)
    if (view.ok || isKeyAccepted(view)) return { findings: [{ outcome: 'ok', subject }], facts: { base } }
    if (!notFoundCodes.includes(view.failure.code)) return { findings: [buildFailure(view.failure, { subject })] }
    const correctBase = await findWorkingAddress(base, gatewayUrl, key, examination)
    if (correctBase === undefined) return { findings: [buildFailure(view.failure, { subject, fix: 'chooseKey' })] }
    const fix = correctBase === target.base(gatewayUrl) ? 'applyAgain' : 'openFile'
    const correctAddress = requestAddress(correctBase, target.requestSuffix)
    const message = `${target.name} calls ${subject}, where nothing was found (${view.status ?? 404}). Its base address must be ${correctBase}, so that it calls ${correctAddress}, where the gateway responds.`
    return { findings: [buildFailure({ code: 'gateway.wrongSuffix', message }, { subject, fix })] }
  },
)

/** Failure codes of status 404, and of the HTML page or redirect that some servers return for unknown URLs. */
const notFoundCodes: readonly FailureCode[] = ['gateway.wrongSuffix', 'gateway.notAGateway']

/** Tests a base URL with a nonexistent model, at no cost. It is valid if the server rejects the model or the key. */
const probeBaseUrl = (base: string, key: Secret, examination: Examination): Promise<CheckView> =>
  examination.deps.check(buildProbe(examination, { base, key }))

const isKeyAccepted = (view: CheckView): boolean =>
  view.ok || (view.failure.code.startsWith('gateway.') && !notFoundCodes.includes(view.failure.code))

/** First base URL that responds: the expected one, then both the expected and configured one with the other `/v1`. */
async function findWorkingAddress(
  base: string,
  gatewayUrl: string,
  key: Secret,
  examination: Examination,
): Promise<string | undefined> {
  const expectedBase = examination.target.base(gatewayUrl)
  const candidates = new Set([expectedBase, getOtherShape(expectedBase), getOtherShape(base)])
  candidates.delete(base)
  for (const candidate of candidates)
    if (isKeyAccepted(await probeBaseUrl(candidate, key, examination))) return candidate
  return undefined
}

/** Failure codes that occur only if the plan has the model. */
const codesWithModel: readonly FailureCode[] = ['gateway.quotaExhausted', 'gateway.rateLimited']

/** Checks the configured models with the gateway's model list, or else the real request, or else local plan data. */
const checkModelInPlan = step(
  'modelInPlan',
  ['found', 'purpose', 'key', 'accepted', 'base'],
  async ({ found, purpose, key, accepted, base }, examination): Promise<StepResult> => {
    const modelCode = found.modelCode ?? purpose.modelCode
    let answer: Promise<CheckView> | undefined
    const request = (): Promise<CheckView> => {
      answer ??= examination.deps.check(buildProbe(examination, { base, key, modelCode }))
      return answer
    }
    const hasModel =
      accepted.models?.includes(modelCode) ??
      (examination.deps.sendsRequest === false ? undefined : hasModelByRequest(await request())) ??
      (purpose.models.includes(modelCode) || undefined)
    const knownModels = accepted.models ?? purpose.models
    const otherCodes = [...new Set(Object.values(purpose.slots))].filter((code) => code !== modelCode)
    const missingCodes = knownModels.length === 0 ? [] : otherCodes.filter((code) => !knownModels.includes(code))
    const otherFindings = missingCodes.map((code) => createMissingModelFinding(code, 'warning'))
    if (hasModel === false) return { findings: [createMissingModelFinding(modelCode, 'failed'), ...otherFindings] }
    const outcome = hasModel ? 'ok' : 'skipped'
    return { findings: [{ outcome, subject: modelCode }, ...otherFindings], facts: { modelCode, request } }
  },
)

/** Whether the plan has the model, according to the real request. Undefined when its result does not show this. */
function hasModelByRequest(view: CheckView): boolean | undefined {
  if (view.ok || codesWithModel.includes(view.failure.code)) return true
  return view.failure.code === 'gateway.modelNotInPlan' ? false : undefined
}

function createMissingModelFinding(subject: string, outcome: 'warning' | 'failed') {
  const message = `The plan does not have the model ${subject}. Use a model code of the plan, exactly as listed.`
  return buildFailure({ code: 'gateway.modelNotInPlan', message }, { outcome, subject })
}

/** Sends one minimal request with the tool's base, key and model, and reports its cost. */
const realRequest = step('realRequest', ['modelCode', 'request'], async ({ request }): Promise<StepResult> => {
  const view = await request()
  const { requestAddress: subject, durationMs } = view
  if (!view.ok) return { findings: [buildFailure(view.failure, { subject, durationMs })] }
  const { inputTokens, outputTokens } = view
  return { findings: [{ outcome: 'ok', subject, durationMs, inputTokens, outputTokens }] }
})

const detectInstalledStep = step('installed', [], async (_facts, { target, deps }) => {
  const { installed, executable } = await deps.detect()
  const subject = executable ?? target.executables[0] ?? target.name
  if (installed) return { findings: [{ outcome: 'ok', subject }] }
  const { install } = target
  if (install === undefined) return { findings: [{ outcome: 'failed', subject }] }
  const text = 'command' in install ? install.command : install.url
  return { findings: [{ outcome: 'failed', subject, fix: 'install', text }] }
})

const fileParsesStep = step('fileParses', [], async (_facts, { target, deps }) => {
  const readings = await Promise.all(
    target.files.map(async (file) => {
      const subject = file.path(deps.environment) ?? ''
      const reading = await catchFailure(readTargetFile(file, deps))
      if (reading === undefined) return { subject }
      return 'code' in reading ? { subject, failure: reading } : { subject, failure: reading.problem, file: reading }
    }),
  )
  const findings = readings.flatMap(({ subject, failure, file }) => {
    if (failure !== undefined) return [buildFailure(failure, { subject })]
    return file?.snapshot.bytes === undefined ? [] : [{ outcome: 'ok' as const, subject }]
  })
  if (readings.some(({ failure }) => failure !== undefined)) return { findings }
  const settings = toSettingsByFile(readings.flatMap(({ file }) => file ?? []))
  const doctorDetails = { settings, found: target.readBack(settings, deps.environment) }
  return findings.length === 0 ? { ...skippedResult, facts: doctorDetails } : { findings, facts: doctorDetails }
})

/** Compares the settings with those that this app wrote. Later checks run anyway: changed ones may still work. */
const ownedValues = step('ownedValues', ['settings'], async (_facts, { target, deps }): Promise<StepResult> => {
  const { status, drift, problem, purpose } = deps.state
  if (problem !== undefined && status === 'unreadable') throw toAppError(problem)
  if (purpose === undefined || status === 'absent' || status === 'otherwise')
    throw new AppError('tool.notConfigured', `${target.name} is not configured by this app. Configure it.`)
  if (drift.length === 0) return { findings: [{ outcome: 'ok' }], facts: { purpose } }
  return { findings: [{ outcome: 'warning', subject: drift.join(', '), fix: 'applyAgain' }], facts: { purpose } }
})

const overridingSources: DoctorStep = {
  check: 'rivals',
  run: async ({ purpose, settings = {} }, { target, deps }) => {
    const variables = await findVariableConflicts(target, purpose?.delivery ?? target.deliveries[0], deps)
    // Variables are already in `variables`.
    const blockers = (await deps.blockers(settings)).filter(({ origin }) => origin !== 'app' && origin !== 'loginShell')
    const findings = [
      ...variables.map((variable) => toVariableFinding(target, variable)),
      ...blockers.map((blocker) => {
        const subject = [blocker.path, blocker.subject].filter((part) => part !== undefined).join(': ')
        const fix = blocker.fix === 'takeOut' ? 'applyAgain' : 'openFile'
        return buildFailure(createOverriddenFailure(target, blocker), { subject, fix })
      }),
    ]
    return { findings: findings.length === 0 ? [{ outcome: 'ok' }] : findings }
  },
}

function toVariableFinding(target: WrittenTarget, warning: ToolWarning): FindingWithoutCheck {
  const { subject, fix, text } = warning
  const isFailed = warning.code === 'foreignCredential'
  return {
    outcome: isFailed ? 'failed' : 'warning',
    failure: isFailed ? createOverriddenFailure(target, warning) : undefined,
    subject,
    fix: fix === 'copyLine' ? fix : undefined,
    text,
  }
}

/** Checks that the tool can get our key by the delivery that was configured. */
const helperRuns = step('helperRuns', ['found', 'purpose'], async ({ found, purpose }, examination) => {
  const { target, deps } = examination
  // Skip the check, because a key that the user typed into the tool cannot be read.
  if (purpose.delivery === 'inTool') return { ...skippedResult, facts: { key: await deps.keptKey() } }
  // Some tools use a fixed variable name that their files do not mention.
  const impliedVariable = purpose.delivery === 'env' ? { kind: 'variable' as const, name: target.variable } : undefined
  const credential = found.credential ?? impliedVariable
  if (credential === undefined)
    throw new AppError('tool.notConfigured', `${target.name} has no key in its settings. Configure it again.`)
  const [got, kept] = await Promise.all([catchFailure(deps.readKey(credential)), catchFailure(deps.keptKey())])
  return compareKeys(got ?? missingKey(credential, target), kept, credential, purpose, examination)
})

function compareKeys(
  got: Secret | Failure,
  kept: Secret | Failure,
  credential: FoundCredential,
  purpose: Purpose,
  { target }: Examination,
): StepResult {
  const subject = toSubject(credential)
  const isKeyReadable = kept instanceof Secret
  if (!(got instanceof Secret)) {
    // If the keychain is locked, the helper command fails as well. Report the keychain then.
    const cause = !isKeyReadable && credential.kind === 'helper' ? kept : got
    return { findings: [buildFailure(cause, { ...subject, ...getExportFix(purpose, cause) })] }
  }
  if (!isKeyReadable) return { findings: [buildFailure(kept, { ...subject, outcome: 'warning' })], facts: { key: got } }
  if (got.isSame(kept)) return { findings: [{ outcome: 'ok', ...subject }], facts: { key: got } }
  const message = `${target.name} gets another key than the one this app saved for its plan. Configure it again.`
  const failure: Failure = { code: 'tool.helperFailed', message }
  return { findings: [buildFailure(failure, { ...subject, ...getExportFix(purpose, failure) })] }
}

function missingKey(credential: FoundCredential, { name }: WrittenTarget): Failure {
  const message =
    credential.kind === 'variable'
      ? `${name} takes its key from the variable ${credential.name}, which a new terminal does not have. Set it in your shell's profile.`
      : `${name} gets no key. Configure it again.`
  return { code: 'tool.notConfigured', message }
}

async function catchFailure<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
}

/** Source from which the tool reads the key: a command, file or variable. Never the key itself. */
function toSubject(credential: FoundCredential): { readonly subject?: string } {
  if (credential.kind === 'plain') return {}
  if (credential.kind === 'helper') return { subject: credential.command }
  return { subject: credential.kind === 'file' ? credential.path : credential.name }
}

function getExportFix({ delivery, exportLine }: Purpose, { code }: Failure): { fix?: 'copyLine'; text?: string } {
  const isShell = delivery === 'env' && exportLine !== undefined && !code.startsWith('vault.')
  return isShell ? { fix: 'copyLine', text: exportLine } : {}
}

/** Gateway failures that show that the key was accepted, because the gateway checks the key first. */
const keyAcceptedCodes: readonly FailureCode[] = ['gateway.rateLimited', 'gateway.quotaExhausted', 'gateway.badRequest']

/** Tests the key with the gateway's model list, or else with a request that uses no tokens. */
const keyAcceptedStep = step('keyAlive', ['key', 'purpose'], async ({ key, purpose }, { target, deps }) => {
  const { gatewayUrl } = purpose
  const subject = gatewayUrl
  const list = await deps.listModels({ url: gatewayUrl, key, signal: deps.signal })
  if (list.kind === 'refused')
    return { findings: [buildFailure(list.failure, { subject })], facts: markReachable(list.failure) }
  if (list.kind === 'listed') {
    return { findings: [{ outcome: 'ok', subject }], facts: { isReached: true, accepted: { models: list.models } } }
  }
  const view = await deps.check(buildProbe({ target, deps }, { base: target.base(gatewayUrl), key }))
  const facts = { isReached: true, accepted: {} } as const
  if (view.ok || keyAcceptedCodes.includes(view.failure.code)) return { findings: [{ outcome: 'ok', subject }], facts }
  // A wrong address shows nothing about the key.
  if (notFoundCodes.includes(view.failure.code)) return { ...skippedResult, facts }
  return { findings: [buildFailure(view.failure, { subject })], facts: markReachable(view.failure) }
})

const markReachable = ({ code }: Failure): { isReached?: true } =>
  code.startsWith('gateway.') ? { isReached: true } : {}

/** Checks in the order of the report. */
const steps: readonly DoctorStep[] = [
  detectInstalledStep,
  fileParsesStep,
  ownedValues,
  overridingSources,
  helperRuns,
  keyAcceptedStep,
  checkSuffix,
  checkModelInPlan,
  realRequest,
]

/** Diagnoses one tool in one scope without changing it. Rejects with `net.cancelled`. */
export async function runDiagnostics(target: WrittenTarget, deps: DoctorDeps): Promise<DoctorReport> {
  const checkedAt = deps.clock().toISOString()
  const findings: Finding[] = []
  let doctorDetails: Partial<DoctorDetails> = {}
  for (const step of steps) {
    if (step.check === 'realRequest' && deps.sendsRequest === false) {
      findings.push({ check: step.check, outcome: 'skipped' })
      continue
    }
    const work = runDoctorStep(step, doctorDetails, { target, deps })
    // On cancellation, do not wait for slow helper commands or shells.
    const result = await (deps.signal ? withAbort(work, deps.signal) : work).catch((error: unknown) => {
      throw deps.signal?.aborted ? new AppError('net.cancelled', 'The diagnosis was canceled.') : error
    })
    findings.push(...result.findings.map((finding) => ({ check: step.check, ...finding })))
    doctorDetails = { ...doctorDetails, ...result.facts }
  }
  const outcomes = findings.map((finding) => finding.outcome)
  const outcome = (['failed', 'warning'] as const).find((worst) => outcomes.includes(worst)) ?? 'ok'
  return { toolId: target.id, toolName: target.name, site: deps.site, at: checkedAt, outcome, findings }
}

async function runDoctorStep(
  { run }: DoctorStep,
  facts: Partial<DoctorDetails>,
  examination: Examination,
): Promise<StepResult> {
  const result = await catchFailure(run(facts, examination))
  return 'findings' in result ? result : { findings: [buildFailure(result)] }
}

function buildProbe(
  { target, deps: { signal } }: Examination,
  probe: { readonly base: string; readonly key: Secret; readonly modelCode?: string },
): GatewayProbeRequest {
  const address = requestAddress(probe.base, target.requestSuffix)
  return { ...probe, standard: target.standard, requestAddress: address, ...(signal ? { signal } : {}) }
}
