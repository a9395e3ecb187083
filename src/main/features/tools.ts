import { randomUUID } from 'node:crypto'
import type { CheckView, PreviewView, ToolChoice, ToolView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { GatewayCheck } from '../gateway/check'
import type { Secret } from '../secret'
import type { PlanRecord } from '../settings/settings'
import { planApply, type ToolRequest } from '../tools/apply'
import { commit } from '../tools/commit'
import type { Detection } from '../tools/detect'
import { shellQuote } from '../tools/helper-command'
import type { Journal } from '../tools/journal'
import type { Place, ToolPlan } from '../tools/plan'
import { planRestore } from '../tools/restore'
import { type ToolState, toolStatus } from '../tools/status'
import type { Target } from '../tools/target'
import { targets } from '../tools/targets'
import { type HelperRun, readToolSettings } from '../tools/tool-settings'
import type { Vault } from '../vault/vault'

type KnownPlan = Omit<PlanRecord, 'keys'> & { readonly keys: readonly { readonly id: string }[] }

/** What this feature needs of the plans. */
export interface PlanSource {
  find(idOrName: string): PlanRecord
  list(): readonly KnownPlan[]
  secretOf(plan: PlanRecord, key?: string): Promise<Secret>
}

type Choice = Pick<ToolChoice, 'modelCode' | 'smallModelCode' | 'delivery'>

export interface ToolsDeps {
  readonly plans: PlanSource
  readonly vault: Vault
  readonly check: GatewayCheck
  readonly place: Place
  readonly detect: (target: Target) => Promise<Detection>
  /** What tools call for the key; written before a tool is pointed at it. */
  readonly launcher: { readonly path: string; ensure(): void }
  readonly runHelper: HelperRun
}

/** How many previews are kept for carrying out; the oldest goes first. */
const keptPreviews = 20

/** The coding tools of this machine: what they are, how they are configured, and what would change. */
export class Tools {
  readonly #deps: ToolsDeps
  readonly #previews = new Map<string, ToolPlan>()

  constructor(deps: ToolsDeps) {
    this.#deps = deps
  }

  list(): Promise<ToolView[]> {
    return Promise.all(targets.map((target) => this.#view(target)))
  }

  /** The settings file of a tool. */
  fileOf(toolId: string): string {
    return targetOf(toolId).file(this.#deps.place.environment)
  }

  /** What configuring would write. Fails with `file.*` where a file must be left alone, `vault.*` where the key cannot be had. */
  async preview(choice: ToolChoice): Promise<PreviewView> {
    const target = targetOf(choice.toolId)
    const plan = this.#deps.plans.find(choice.planId)
    return this.#keep(await planApply(target, await this.#request(target, plan, choice), this.#deps.place))
  }

  async previewRestore(toolId: string): Promise<PreviewView> {
    return this.#keep(await planRestore(targetOf(toolId), this.#deps.place))
  }

  /** Writes exactly what a preview showed. Fails with `file.changed` when a file is no longer as it was then. */
  async carryOut(previewId: string): Promise<ToolView> {
    const plan = this.#previews.get(previewId)
    if (!plan) throw new AppError('file.changed', 'This preview is no longer kept. Look at the changes again.')
    this.#previews.delete(previewId)
    if (plan.kind === 'apply') this.#deps.launcher.ensure()
    await commit(plan, this.#deps.place.disk)
    return this.#view(targetOf(plan.toolId))
  }

  /** One real small request with the address, key and model that the tool's own files give it now. */
  async verify(toolId: string): Promise<CheckView> {
    const target = targetOf(toolId)
    const { journal } = await this.#state(target)
    if (!journal) throw new AppError('tool.notConfigured', `${target.name} is not configured by this app.`)
    const { planId, modelCode } = journal.choice
    const { place, plans, runHelper, check } = this.#deps
    const plan = plans.list().find(({ id }) => id === planId)
    if (!plan) {
      const message = `The plan that ${target.name} was set up with was removed. Configure it with another, or undo.`
      throw new AppError('plan.notFound', message)
    }
    const ownHelper = this.#command(['key', 'print'])
    const { gatewayUrl } = plan
    const found = await readToolSettings({ target, gatewayUrl, ownHelper }, { place, runHelper })
    return check({ ...found, standard: target.standard, modelCode: found.modelCode ?? modelCode })
  }

  /** Gives a plan's new key to the tools that hold a copy of it, where nothing else changed in their files since. */
  async renewKeyFiles(planId: string): Promise<void> {
    for (const target of targets) {
      const { journal, status } = await this.#state(target)
      if (journal?.choice.planId !== planId || journal.choice.delivery === 'helper' || status !== 'configured') continue
      const plan = this.#deps.plans.find(planId)
      const request = await this.#request(target, plan, { toolId: target.id, ...journal.choice })
      await commit(await planApply(target, request, this.#deps.place), this.#deps.place.disk)
    }
  }

  async #request(target: Target, plan: PlanRecord, choice: ToolChoice): Promise<ToolRequest> {
    const delivery = choice.delivery ?? target.deliveries[0]
    const [key] = plan.keys
    if (!key) throw new AppError('key.notFound', `The plan ${plan.name} has no key.`)
    const { moveCommentsToCopy } = choice
    const request = { ...this.#expected(plan, key, choice), delivery, moveCommentsToCopy }
    if (delivery !== 'helper') return { ...request, key: await this.#deps.plans.secretOf(plan, key.id) }
    await this.#requireKeychain()
    return request
  }

  /** What a tool is given for a choice, but for the key itself. */
  #expected(
    plan: KnownPlan,
    key: { readonly id: string },
    { modelCode, smallModelCode = modelCode, delivery }: Choice,
  ): ToolRequest {
    const { id: planId, gatewayUrl, models, contextTokens } = plan
    const helperCommand = this.#command(['key', 'print', '--plan', planId, '--key', key.id])
    return { planId, gatewayUrl, models, contextTokens, modelCode, smallModelCode, delivery, helperCommand }
  }

  #command(args: readonly string[]): string {
    return shellQuote([this.#deps.launcher.path, ...args], this.#deps.place.environment.platform)
  }

  /** A helper command is of use only while the key is where another process can read it. */
  async #requireKeychain(): Promise<void> {
    const vault = await this.#deps.vault.state()
    if (vault.kind === 'keychain') return
    const message = `Without a keychain no helper command can get the key (${vault.reason}). ${vault.install}`
    throw new AppError('vault.unavailable', message, { field: 'delivery' })
  }

  #keep(plan: ToolPlan): PreviewView {
    const previewId = randomUUID()
    this.#previews.set(previewId, plan)
    const [oldest] = this.#previews.keys()
    if (oldest !== undefined && this.#previews.size > keptPreviews) this.#previews.delete(oldest)
    const { toolId, kind, files, warnings, base, requestAddress } = plan
    return { previewId, toolId, kind, files: [...files], warnings: [...warnings], base, requestAddress }
  }

  /** How a tool's files stand, against what was written and against what its plan asks for now. */
  async #state(target: Target): Promise<ToolState> {
    const { place, plans } = this.#deps
    const state = await toolStatus(target, undefined, place)
    const choice = state.journal?.choice
    const plan = plans.list().find(({ id }) => id === choice?.planId)
    const [key] = plan?.keys ?? []
    if (!choice || !plan || !key) return state
    return toolStatus(target, this.#expected(plan, key, choice), place)
  }

  #applied({ choice, at }: Journal): ToolView['applied'] {
    const { planId, modelCode, smallModelCode, delivery, requestAddress } = choice
    const planName = this.#deps.plans.list().find(({ id }) => id === planId)?.name
    return { planId, planName, modelCode, smallModelCode, delivery, requestAddress, at }
  }

  async #view(target: Target): Promise<ToolView> {
    const [detection, { journal, ...state }] = await Promise.all([this.#deps.detect(target), this.#state(target)])
    const { id, name, standard, deliveries, needsRestart } = target
    return {
      id,
      name,
      standard,
      ...detection,
      supported: true,
      ...state,
      drift: [...state.drift],
      deliveries: [...deliveries],
      needsRestart,
      applied: state.status === 'absent' ? undefined : journal && this.#applied(journal),
    }
  }
}

function targetOf(toolId: string): Target {
  const target = targets.find(({ id }) => id === toolId)
  if (target) return target
  throw new AppError(
    'tool.notFound',
    `There is no tool ${toolId}. There are: ${targets.map(({ id }) => id).join(', ')}.`,
  )
}
