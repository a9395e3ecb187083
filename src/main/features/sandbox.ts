import type { SandboxRequestView, SandboxSituation, SandboxView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import type { SandboxControl } from '../sandbox/control'
import type { SandboxHost, SandboxReady } from '../sandbox/host'
import type { SettingsStore } from '../settings/settings'

export interface SandboxDeps {
  readonly host: SandboxHost
  readonly settings: SettingsStore
  readonly controlOf: (ready: SandboxReady) => SandboxControl
  /** Makes sure that the sandbox's first plan is among the plans, with its key in the vault; resolves with its id here. */
  readonly keepPlan: (ready: SandboxReady, knownId: string | undefined) => Promise<string>
  readonly tell: (view: SandboxView) => void
}

/** Starts, stops and watches the built-in sandbox. */
export class Sandbox {
  readonly #deps: SandboxDeps
  #view: SandboxView = { state: 'stopped' }
  #control: SandboxControl | undefined
  #opening: Promise<SandboxView> | undefined

  constructor(deps: SandboxDeps) {
    this.#deps = deps
    deps.host.onExit(() =>
      this.#end({ code: 'sandbox.failed', message: 'The sandbox ended by itself. Start it again.' }),
    )
  }

  get(): SandboxView {
    return this.#view
  }

  /** Starts the sandbox, once for all who ask at the same time. Fails with `sandbox.portInUse` or `sandbox.failed`; the view then says so too. */
  open({ anotherPort = false }: { anotherPort?: boolean | undefined } = {}): Promise<SandboxView> {
    if (this.#view.state === 'running') return Promise.resolve(this.#view)
    this.#opening ??= this.#start(anotherPort).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async stop(): Promise<SandboxView> {
    await this.#opening
    await this.#deps.host.stop()
    this.#control = undefined
    this.#remember({ wanted: false })
    return this.#show({ state: 'stopped' })
  }

  /** Ends the process with the app; it comes up again next time. */
  async end(): Promise<void> {
    if (this.#view.state === 'running' || this.#view.state === 'starting') await this.#deps.host.stop()
  }

  requests(after: number | undefined): Promise<SandboxRequestView[]> {
    return this.#control ? this.#control.requests(after) : Promise.resolve([])
  }

  /** Puts the sandbox in a situation, in which it stays until another is chosen, through restarts too. */
  async simulate(situation: SandboxSituation): Promise<SandboxView> {
    if (!this.#control) throw new AppError('sandbox.failed', 'The sandbox is not running. Start it first.')
    await this.#control.simulate(situation, this.#view.situation ?? 'normal')
    this.#remember({ situation })
    return this.#show({ ...this.#view, situation })
  }

  async #start(anotherPort: boolean): Promise<SandboxView> {
    const { host, settings, controlOf, keepPlan } = this.#deps
    const { gatewayPort, platformPort, planId: knownId, situation = 'normal' } = settings.read().sandbox
    this.#show({ state: 'starting' })
    try {
      const ready = await host.start(anotherPort ? { gatewayPort: 0, platformPort: 0 } : { gatewayPort, platformPort })
      const control = controlOf(ready)
      await control.simulate(situation, situation)
      const planId = await keepPlan(ready, knownId)
      const ports = { gatewayPort: portOf(ready.gatewayUrl), platformPort: portOf(ready.platformUrl) }
      this.#remember({ wanted: true, planId, ...ports })
      this.#control = control
      return this.#show({ state: 'running', gatewayUrl: ready.gatewayUrl, planId, situation })
    } catch (error) {
      await host.stop()
      this.#end(failureOf(error))
      throw error
    }
  }

  #end(failure: Failure): void {
    this.#control = undefined
    this.#show({ state: 'failed', failure })
  }

  #show(view: SandboxView): SandboxView {
    this.#view = view
    this.#deps.tell(view)
    return view
  }

  #remember(part: Partial<ReturnType<SettingsStore['read']>['sandbox']>): void {
    const { settings } = this.#deps
    settings.update({ sandbox: { ...settings.read().sandbox, ...part } })
  }
}

const portOf = (url: string): number => Number(new URL(url).port)

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return error.failure
  return { code: 'sandbox.failed', message: error instanceof Error ? error.message : String(error) }
}
