import type { MethodInput, RelayRoute, RelayTool, RelayView } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError, type Failure } from '@shared/failure'
import type { Sleep } from '../../core/net/deadline'
import type { Log } from '../../core/ports'
import type { RelayChoice } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import { createWorkQueue, isFulfilled } from '../../core/work-queue'
import type { RemainingSample } from '../../usage/quota/remaining'
import type { UpstreamSwitch } from '../ports'
import type { RelayHost, ToolTraffic } from './relay-protocol'
import { findUpstream, listUpstreams, type OwnRelay, relayRoot, setUpstream } from './routes'
import { type BuiltTable, findKey, type TableBuilder, type TableSettings, toSettingsFingerprint } from './table'

/** Delays in ms before the relay is restarted after a crash, increasing with each attempt. */
const restartDelays = [0, 1000, 5000, 30_000] as const
const maxDelayMs = minuteMs

/** Uptime in ms after which the restart delay is reset. */
const minStableRunMs = minuteMs

interface RelayDeps {
  readonly host: RelayHost
  readonly settings: SettingsStore
  readonly builder: TableBuilder
  /** Ids of the tools whose files contain the relay's address. */
  readonly pointed: () => Promise<readonly string[]>
  /** All tools that support the relay. */
  readonly tools: readonly { readonly id: string; readonly name: string }[]
  /** Reads quotas and budgets for the metrics. Only called while metrics are on. */
  readonly readRemaining: () => Promise<readonly RemainingSample[]>
  /** Paths of certificate files to trust. They are read when the relay starts. */
  readonly caFiles: () => readonly string[]
  /** Whether the app starts at login. `get` returns undefined on systems without login items. */
  readonly startAtLogin: { get(): boolean | undefined; set(on: boolean): void }
  readonly sleep: Sleep
  readonly log: Log
  readonly onChanged: (view: RelayView) => void
}

/** Refresh interval of quotas and budgets in the metrics. */
const remainingIntervalMs = minuteMs

/** Retry delay for an unreadable key in ms. A settings change retries sooner. */
const retryMs = 30_000

const noTable: BuiltTable = { table: { clients: [], isPaused: false }, failures: new Map() }

/** Runs the relay while it is switched on and sends it the routing table. */
export class Relay implements OwnRelay {
  #restartCount = 0
  #startedMs = Number.POSITIVE_INFINITY
  #state: 'off' | 'starting' | 'on' | 'failed' = 'off'
  #failure: Failure | undefined
  #traffic: readonly ToolTraffic[] = []
  #built = noTable
  #settingsText = ''
  #builtMs = 0
  #pointed: readonly string[] = []
  readonly #queue = createWorkQueue()
  #waiting = new AbortController()
  #isEnding = false
  readonly #remainingTimer = setInterval(() => this.#sendRemaining(), remainingIntervalMs).unref()

  constructor(private readonly deps: RelayDeps) {
    deps.host.onStatus((tools) => {
      this.#traffic = tools
      this.#reportChange()
    })
    deps.host.onExit(() => void this.#afterExit())
  }

  /** Whether the relay is running, paused or not. */
  isOn(): boolean {
    return this.#state === 'on'
  }

  /** Status of the relay, from memory only. */
  state(): Pick<RelayView, 'state'> {
    return this.#view()
  }

  async get(): Promise<RelayView> {
    // Other programs can edit the files of tools, so check whether other tools use the relay now.
    const pointed = await this.deps.pointed()
    const hasSameTools = pointed.join() === this.#pointed.join()
    this.#pointed = pointed
    if (!hasSameTools) this.#reportChange()
    return this.#view()
  }

  /** Switches the relay on, now and whenever the app starts. Fails with `relay.portInUse` or `relay.failed`. */
  async start({ port }: MethodInput<'relay.start'> = {}): Promise<RelayView> {
    if (port !== undefined && port !== this.#choice().port) await this.#queue(() => this.#stopNow())
    this.#remember((current) => ({ wanted: true, isPaused: false, port: port ?? current.port }))
    await this.ready()
    return this.get()
  }

  async stop(): Promise<RelayView> {
    this.#remember(() => ({ wanted: false }))
    await this.#queue(() => this.#stopNow())
    return this.get()
  }

  async setPaused({ paused }: MethodInput<'relay.setPaused'>): Promise<RelayView> {
    this.#remember(() => ({ isPaused: paused }))
    await this.#queue(() => this.#refresh())
    return this.get()
  }

  /** Changes the upstream of a tool. Fails with `plan.notFound` or `key.notFound`. */
  async setWay({ toolId, way, failover, overload }: MethodInput<'relay.setWay'>): Promise<RelayView> {
    for (const { planId, keyId } of [way, ...failover]) {
      const plan = this.deps.settings.read().plans.find(({ id }) => id === planId)
      if (!plan) throw new AppError('plan.notFound', 'This plan is no longer on this computer. Choose another one.')
      if (keyId !== undefined && !plan.keys.some(({ id }) => id === keyId))
        throw new AppError('key.notFound', `The plan ${plan.name} no longer has this key. Choose another one.`)
    }
    this.#remember(({ ways }) => ({ ways: setUpstream(ways, { toolId, ...way, failover, overload }) }))
    await this.#queue(() => this.#refresh())
    return this.get()
  }

  async setOptions(options: MethodInput<'relay.setOptions'>): Promise<RelayView> {
    const { startAtLogin, keepInBackground, allowsUncounted } = options
    if (startAtLogin !== undefined) this.deps.startAtLogin.set(startAtLogin)
    if (keepInBackground !== undefined) this.#remember(() => ({ keepInBackground }))
    if (allowsUncounted !== undefined) {
      this.#remember(() => ({ allowsUncounted }))
      await this.#queue(() => this.#refresh())
    }
    return this.get()
  }

  /** Resolves when the relay runs with the current settings. Fails with `relay.portInUse` or `relay.failed`. */
  async ready(): Promise<void> {
    this.#waiting.abort()
    await this.#queue(() => (this.isOn() ? this.#refresh() : this.#startNow()))
  }

  /** Applies the current settings. Starts the relay if it is switched on. */
  follow(): void {
    void this.#queue(() => {
      if (!this.#choice().wanted) return this.#stopNow()
      return this.#state === 'off' ? this.#startNow() : this.#refresh()
    })
      .then(() => this.get())
      // Only log the failure, because the window already shows it.
      .catch((error: unknown) => this.deps.log.error('relay.follow', error))
  }

  /** Reloads the keys, because the keychain may be unlocked now. */
  async forgetKeys(): Promise<void> {
    this.deps.builder.forget()
    this.#settingsText = ''
    await this.#queue(() => this.#refresh())
    await this.get()
  }

  /** Ends the relay process when the app exits. If the relay is switched on, the next start of the app restarts it. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearInterval(this.#remainingTimer)
    this.#waiting.abort()
    await this.deps.host.stop()
  }

  async #startNow(): Promise<void> {
    if (this.isOn() || this.#isEnding) return
    const { host, caFiles } = this.deps
    const { port } = this.#choice()
    this.#show('starting')
    try {
      await this.#build()
      await host.start({ port, table: this.#built.table, caFiles: caFiles() })
      this.#startedMs = performance.now()
      this.#show('on')
      this.#sendRemaining()
    } catch (error) {
      const message = 'The relay could not be started. The log has the details.'
      this.#show('failed', error instanceof AppError ? error.failure : { code: 'relay.failed', message })
      throw error
    }
    await this.#refresh()
  }

  async #stopNow(): Promise<void> {
    this.#waiting.abort()
    if (this.#state === 'off') return
    await this.deps.host.stop()
    this.#traffic = []
    this.#show('off')
  }

  /** Sends the routing table to the relay process if it has changed. */
  async #refresh(): Promise<void> {
    if (!this.isOn() || !(await this.#build())) return
    this.deps.host.setTable(this.#built.table)
    this.#sendRemaining()
    this.#reportChange()
  }

  #sendRemaining(): void {
    const { host, readRemaining, log } = this.deps
    if (!this.isOn() || this.#built.table.metrics === undefined) return
    readRemaining().then(
      (samples) => {
        if (this.isOn()) host.setRemaining(samples)
      },
      (error: unknown) => log.error('relay.remaining', error),
    )
  }

  /**
   * Builds the routing table. Returns whether it may have changed. Retries failures only after a delay, because
   * reading from a locked keychain may prompt each time.
   */
  async #build(): Promise<boolean> {
    const settings = this.deps.settings.read()
    const tableSettings = toSettingsFingerprint(settings)
    const nowMs = performance.now()
    const shouldRetryFailures = this.#built.failures.size > 0 && nowMs - this.#builtMs > retryMs
    if (tableSettings === this.#settingsText && !shouldRetryFailures) return false
    this.#settingsText = tableSettings
    this.#builtMs = nowMs
    this.#built = await this.deps.builder.build(settings)
    return true
  }

  async #afterExit(): Promise<void> {
    if (!this.isOn()) return
    this.#traffic = []
    const message = 'The relay stopped unexpectedly and is starting again. Tools that use it fail until then.'
    this.#show('failed', { code: 'relay.failed', message })
    while (this.#choice().wanted && this.#state === 'failed' && !this.#isEnding) {
      this.#waiting = new AbortController()
      if (performance.now() - this.#startedMs > minStableRunMs) this.#restartCount = 0
      this.#startedMs = Number.POSITIVE_INFINITY
      const delayMs = restartDelays[this.#restartCount++] ?? maxDelayMs
      if (!(await isFulfilled(this.deps.sleep(delayMs, this.#waiting.signal)))) return
      await this.#queue(() => this.#startNow()).catch((error: unknown) => this.deps.log.error('relay.restart', error))
    }
  }

  #show(state: 'off' | 'starting' | 'on' | 'failed', failure?: Failure): void {
    this.#state = state
    this.#failure = failure
    this.#reportChange()
  }

  #reportChange(): void {
    this.deps.onChanged(this.#view())
  }

  #view(): RelayView {
    const { settings, tools, startAtLogin: loginItem } = this.deps
    const ground = settings.read()
    const { port, wanted, keepInBackground, allowsUncounted = false } = ground.relay
    return {
      state: this.#state === 'on' && this.#built.table.isPaused ? 'paused' : this.#state,
      failure: this.#failure,
      port,
      wanted,
      startAtLogin: loginItem.get(),
      keepInBackground,
      allowsUncounted,
      tools: tools.map((tool) => this.#toolView(tool, ground)),
    }
  }

  #toolView({ id, name }: RelayDeps['tools'][number], ground: TableSettings): RelayTool {
    const relayRoute = findUpstream(ground.relay.ways, id)
    const traffic = this.#traffic.find(({ toolId }) => toolId === id)
    return {
      toolId: id,
      toolName: name,
      address: relayRoot(ground.relay.port, id),
      isPointedHere: this.#pointed.includes(id),
      upstreams: relayRoute ? listUpstreams(relayRoute).map((route) => toUpstreamView(route, ground)) : [],
      open: traffic?.open ?? 0,
      requests: traffic?.requests ?? 0,
      overload: relayRoute?.overload,
      lastSwitch: traffic?.lastSwitch && toSwitchView(traffic.lastSwitch, ground),
      lastAt: traffic?.lastAt,
      lastFailure: this.#built.failures.get(id) ?? traffic?.failure,
    }
  }

  #choice(): RelayChoice {
    return this.deps.settings.read().relay
  }

  #remember(change: (current: RelayChoice) => Partial<RelayChoice>): void {
    this.deps.settings.update(({ relay }) => ({ relay: { ...relay, ...change(relay) } }))
  }
}

/** A route with the names of its plan and key. Omits the name of a plan or key that no longer exists. */
function toUpstreamView({ planId, keyId }: RelayRoute, ground: TableSettings) {
  const plan = ground.plans.find(({ id }) => id === planId)
  return { planId, keyId, planName: plan?.name, keyName: plan && findKey(plan, keyId, ground)?.name }
}

function toSwitchView({ atMs, untilMs, from, to }: UpstreamSwitch, ground: TableSettings) {
  const formatUpstream = (upstream: RelayRoute): string => {
    const { planName = upstream.planId, keyName } = toUpstreamView(upstream, ground)
    return keyName === undefined ? planName : `${planName}, ${keyName}`
  }
  const times = { at: new Date(atMs).toISOString(), until: new Date(untilMs).toISOString() }
  return { ...times, from: formatUpstream(from), to: formatUpstream(to) }
}
