import type { CheckView, Delivery, FileChange, Site, ToolWarning } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import type { EngineContext, ToolEnvironment } from '../../core/environment'
import { requestAddress } from '../../core/net/address'
import type { GatewayCheck, ListModels } from '../../gateway/probe'
import type { RelayPort } from '../../relay/routing/routes'
import { createOverriddenFailure, findFileConflicts, findVariableConflicts } from '../conflicting-settings'
import type { DoctorDeps } from '../doctor'
import { editors } from '../editors'
import { diffLines } from '../line-diff'
import type { LoginShell } from '../login-shell'
import { type HelperRun, readCredentialKey, readToolSettings } from '../status'
import { listRoutes, type TargetInput, type WrittenTarget } from '../target'
import { modelCodes } from '../targets/shared'
import { findOwnHelper } from './setup-request'
import { listBlockers, readToolState, type ViewDeps } from './setup-views'

/** Warnings for a preview of a write, such as overriding settings, an untested tool version or a stopped relay. */
export async function listOtherWarnings(
  target: WrittenTarget,
  options: {
    readonly input: TargetInput
    readonly place: EngineContext
    readonly loginShell: LoginShell
    readonly workFolders?: readonly string[]
    readonly relay?: Pick<RelayPort, 'isOn'> | undefined
  },
): Promise<ToolWarning[]> {
  const { input, place, loginShell, relay, workFolders = [] } = options
  const { environment, disk } = place
  const { gatewayUrl, delivery, variable, helperCommand } = input
  const intent = { base: target.base(gatewayUrl), models: modelCodes(input) }
  const line = delivery === 'env' && helperCommand ? exportLine(variable, helperCommand, environment) : undefined
  return [
    ...(await findVariableConflicts(target, delivery, { environment, loginShell, disk })),
    ...(await findFileConflicts(target, undefined, intent, { environment, disk, workFolders })),
    ...((await target.sessions?.(environment))?.hasOthers ? [{ code: 'sessionsKeepProvider' as const }] : []),
    ...(target.evidence.kind === 'docs' ? [{ code: 'notTried' as const }] : []),
    ...(line ? [{ code: 'variableNeeded', subject: variable, fix: 'copyLine', text: line } as const] : []),
    ...(relay && !(await relay.isOn()) ? [{ code: 'relayNeeded' as const, subject: gatewayUrl }] : []),
  ]
}

/** The shell line that exports the key in each new terminal. The key stays in the keychain. */
function exportLine(variable: string, helperCommand: string, { platform, vars }: ToolEnvironment): string {
  if (platform === 'win32') return `$env:${variable} = & ${helperCommand}`
  if (vars.SHELL?.endsWith('/fish')) return `set -gx ${variable} (${helperCommand})`
  return `export ${variable}="$(${helperCommand})"`
}

/** The key helper program that tools run. `lost` returns the file's content if the file is missing, else undefined. */
export interface LauncherFile {
  readonly path: string
  lost?(): string | undefined
}

const callingDeliveries: readonly Delivery[] = ['helper', 'env']

/** Shows in a preview that the missing key helper file will be created. */
export function missingLauncherWarning(delivery: Delivery, { path, lost }: LauncherFile): FileChange[] {
  const text = callingDeliveries.includes(delivery) ? lost?.() : undefined
  if (text === undefined) return []
  return [{ path, action: 'create', holdsKey: false, lines: diffLines('', text, editors.text.mask) }]
}

/**
 * Sends one minimal real request with the address, key and model in the tool's files. If the files do not contain the
 * key, uses the one of the setup. Fails with `tool.*`, `plan.notFound` or `vault.*`.
 */
export async function verifySetup(target: WrittenTarget, site: Site, deps: ExaminationDeps): Promise<CheckView> {
  const { plans, relay, runHelper } = deps
  const { journal, settings, context, setup } = await readToolState(target, site, deps)
  if (!journal || !setup) throw new AppError('tool.notConfigured', `${target.name} is not configured by this app.`)
  const { choice, plan } = setup
  const { planId, keyId, modelCode, route } = choice
  if (!plan) {
    const message = `The plan that ${target.name} was configured with was removed. Configure it with another plan, or undo.`
    throw new AppError('plan.notFound', message)
  }
  const isRelayed = route === 'relay'
  const gatewayUrl = isRelayed ? relay.getRelayRoot(target.id) : plan.gatewayUrl
  const blockers = settings ? await listBlockers(target, settings, journal, context, deps) : []
  // Ignore conflicts that only change the model of one agent. The main model is not affected.
  const blocker = blockers.find(({ code }) => code !== 'agentModel')
  if (blocker) {
    const { code, message } = createOverriddenFailure(target, blocker)
    throw new AppError(code, message)
  }
  const ownHelper = findOwnHelper(site, deps)
  const foundSettings = await readToolSettings(target, gatewayUrl, context, { ownHelper, runHelper })
  const readStoredSecret = () => (isRelayed ? relay.readToken(target.id) : plans.readSecret(plans.find(planId), keyId))
  const { check } = isRelayed ? explainRelayErrors(target, deps) : deps
  return check({
    base: foundSettings.base,
    key: foundSettings.key ?? (await readStoredSecret()),
    requestAddress: requestAddress(foundSettings.base, target.requestSuffix),
    standard: target.standard,
    modelCode: foundSettings.modelCode ?? modelCode,
  })
}

export interface ExaminationDeps extends ViewDeps {
  readonly check: GatewayCheck
  readonly listModels: ListModels
  readonly runHelper: HelperRun
  readonly loginShell: LoginShell
}

export async function buildDoctorInput(
  target: WrittenTarget,
  site: Site,
  deps: ExaminationDeps,
): Promise<Omit<DoctorDeps, 'site' | 'signal'>> {
  const { plans, relay, check, listModels, runHelper, loginShell } = deps
  loginShell.forget?.()
  const { journal, context, setup, status, drift, problem } = await readToolState(target, site, deps)
  const { environment, disk, clock } = context
  const { choice, expected } = setup ?? {}
  const helperCommand = choice?.delivery === 'env' ? expected?.helperCommand : undefined
  const purpose = choice &&
    expected && {
      ...choice,
      gatewayUrl: expected.gatewayUrl,
      models: expected.models,
      ...(helperCommand ? { exportLine: exportLine(target.variable, helperCommand, environment) } : {}),
    }
  const isRelayed = choice?.route === 'relay'
  const gatewayCalls = isRelayed ? explainRelayErrors(target, { check, listModels }) : { check, listModels }
  return {
    environment,
    disk,
    clock,
    loginShell,
    ...gatewayCalls,
    detect: () => deps.detect(target),
    blockers: async (settings) => (journal ? listBlockers(target, settings, journal, context, deps) : []),
    state: { status, drift, problem, purpose },
    readKey: async (credential) => {
      const variables = { ...environment.vars, ...(await loginShell(environment)) }
      return readCredentialKey(credential, { ownHelper: findOwnHelper(site, deps), runHelper, variables })
    },
    keptKey: () =>
      isRelayed ? relay.readToken(target.id) : plans.readSecret(plans.find(choice?.planId ?? ''), choice?.keyId),
  }
}

type GatewayCalls = Pick<ExaminationDeps, 'check' | 'listModels'>

/** Replaces the failure of a refused connection. For a tool on the relay, it means that the relay is off. */
function explainRelayErrors(target: WrittenTarget, { check, listModels }: GatewayCalls): GatewayCalls {
  const { id, name } = target
  const direct = listRoutes(target).includes('gateway') ? `, or run "companion configure ${id} --route gateway"` : ''
  const message = `The relay does not run, so ${name} cannot reach its plan. Start the app or "companion relay"${direct}.`
  const explainFailure = (failure: Failure): Failure =>
    failure.code === 'net.refused' ? { code: 'relay.off', message } : failure
  return {
    async check(question) {
      const view = await check(question)
      return view.ok ? view : { ...view, failure: explainFailure(view.failure) }
    },
    async listModels(question) {
      const models = await listModels(question)
      return models.kind === 'refused' ? { ...models, failure: explainFailure(models.failure) } : models
    },
  }
}
