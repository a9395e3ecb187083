import type { MethodInput, SandboxRequestView, SandboxSituation, SandboxView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import type { SettingsStore } from '../../core/settings/settings'
import { createWorkQueue } from '../../core/work-queue'
import { getOfferedKey, orderPlans, type SandboxControl } from './control'
import type { SandboxHost, SandboxReady } from './host'

interface SandboxDeps {
  readonly host: SandboxHost
  readonly settings: SettingsStore
  readonly createControl: (ready: SandboxReady) => SandboxControl
  /** Saves the sandbox's first plan with its key. Resolves with its local id. */
  readonly keepPlan: (ready: SandboxReady, knownId: string | undefined) => Promise<string>
  readonly onChanged: (view: SandboxView) => void
}

export class Sandbox {
  #view: SandboxView = { state: 'stopped' }
  #control: SandboxControl | undefined
  #opening: Promise<SandboxView> | undefined
  /** Queue for situation changes. Each change undoes the previous one, so they must not run in parallel. */
  readonly #queue = createWorkQueue()

  constructor(private readonly deps: SandboxDeps) {
    deps.host.onExit(() =>
      this.#end({ code: 'sandbox.failed', message: 'The sandbox stopped unexpectedly. Start it again.' }),
    )
  }

  get(): SandboxView {
    return this.#view
  }

  /** Starts the sandbox. Concurrent calls share one start. The view keeps the failure, which the window shows. */
  open({ anotherPort = false }: { anotherPort?: boolean | undefined } = {}): Promise<SandboxView> {
    if (this.#view.state === 'running') return Promise.resolve(this.#view)
    this.#opening ??= this.#start(anotherPort).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async stop(): Promise<SandboxView> {
    await this.#opening
    await this.deps.host.stop()
    this.#control = undefined
    this.#remember({ wanted: false })
    return this.#show({ state: 'stopped' })
  }

  /** Ends the sandbox process when the app quits. The next start of the app restarts the sandbox. */
  async end(): Promise<void> {
    if (this.#view.state === 'running' || this.#view.state === 'starting') await this.deps.host.stop()
  }

  /** Requests that the sandbox received. Empty while the sandbox is stopped. */
  async requests(filter: MethodInput<'sandbox.requests'>): Promise<SandboxRequestView[]> {
    return this.#control ? this.#control.requests(filter) : []
  }

  /** Controls the running sandbox. Fails with `sandbox.failed` while it is stopped. */
  control(): SandboxControl {
    if (this.#control) return this.#control
    throw new AppError('sandbox.failed', 'The sandbox is not running. Start it first.')
  }

  /** Switches the situation, which persists across restarts. */
  simulate(situation: SandboxSituation): Promise<SandboxView> {
    return this.#queue(async () => {
      await this.control().simulate(situation, this.#view.situation ?? 'normal')
      this.#remember({ situation })
      return this.#show({ ...this.#view, situation })
    })
  }

  /** Resets the simulated data. Restarts the process, which offers another plan, if the used one no longer exists. */
  reset(): Promise<SandboxView> {
    return this.#queue(async () => {
      const isPlanAvailable = await this.control().reset()
      this.#remember({ situation: 'normal' })
      if (isPlanAvailable) return this.#show({ ...this.#view, situation: 'normal' })
      await this.deps.host.stop()
      this.#control = undefined
      this.#show({ state: 'starting' })
      return this.open()
    })
  }

  async #start(anotherPort: boolean): Promise<SandboxView> {
    const { host, settings, createControl, keepPlan } = this.deps
    const { gatewayPort, platformPort, planId: knownId, offered, situation = 'normal' } = settings.read().sandbox
    this.#show({ state: 'starting' })
    try {
      const ports = anotherPort ? { gatewayPort: 0, platformPort: 0 } : { gatewayPort, platformPort }
      const readyMessage = orderPlans(await host.start(ports), offered)
      const control = createControl(readyMessage)
      await control.simulate(situation, situation)
      const planId = await keepPlan(readyMessage, knownId)
      const { gatewayUrl, platformUrl } = readyMessage
      const usedPorts = { gatewayPort: readPort(gatewayUrl), platformPort: readPort(platformUrl) }
      this.#remember({ wanted: true, planId, offered: getOfferedKey(readyMessage), ...usedPorts })
      this.#control = control
      return this.#show({ state: 'running', gatewayUrl, planId, situation })
    } catch (error) {
      await host.stop()
      const message = error instanceof Error ? error.message : String(error)
      this.#end(error instanceof AppError ? error.failure : { code: 'sandbox.failed', message })
      throw error
    }
  }

  #end(failure: Failure): void {
    this.#control = undefined
    this.#show({ state: 'failed', failure })
  }

  #show(view: SandboxView): SandboxView {
    this.#view = view
    this.deps.onChanged(view)
    return view
  }

  #remember(changes: Partial<ReturnType<SettingsStore['read']>['sandbox']>): void {
    const { settings } = this.deps
    settings.update(({ sandbox }) => ({ sandbox: { ...sandbox, ...changes } }))
  }
}

const readPort = (url: string): number => Number(new URL(url).port)
