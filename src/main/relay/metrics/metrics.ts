import type { MetricsView, OtlpAuth, OtlpInput } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../../core/consent/consent'
import { refuseRequestAddress, toRoot } from '../../core/net/address'
import type { ResolveProxy } from '../../core/net/proxy'
import type { Clock } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { MetricsRecord } from '../../core/settings/records'
import type { Settings, SettingsStore } from '../../core/settings/settings'
import { metricsAccount, saveWithRecord, type Vault } from '../../core/vault/vault'
import { buildPlanLabels } from '../../usage/quota/remaining'
import type { RelayMetrics } from '../ports'

export class Metrics {
  constructor(
    private readonly deps: {
      readonly settings: SettingsStore
      readonly vault: Vault
      readonly clock: Clock
      readonly confirm: Confirm
      readonly token: () => Promise<Secret>
    },
  ) {}

  get(): MetricsView {
    const { metrics, relay } = this.deps.settings.read()
    const { isScraped, otlp } = metrics
    const prometheus = { isOn: isScraped, address: `http://127.0.0.1:${relay.port}/metrics` }
    if (otlp === undefined) return { prometheus }
    const { endpoint, auth, sendsSpans, kept } = otlp
    return { prometheus, otlp: { endpoint, auth, sendsSpans, hasSecret: kept !== undefined } }
  }

  /** Returns the token of the metrics page. Creates a missing one. */
  token(): Promise<Secret> {
    return this.deps.token()
  }

  /** Switches the Prometheus endpoint. The endpoint has a token while it is switched on. */
  async setPrometheus({ isOn }: { readonly isOn: boolean }): Promise<MetricsView> {
    if (isOn) await this.deps.token()
    this.deps.settings.update(({ metrics }) => ({ metrics: { ...metrics, isScraped: isOn } }))
    return this.get()
  }

  /** Starts OTLP export after confirmation. `isAgreed` skips the question. */
  async setOtlp(input: OtlpInput, secret?: Secret, isAgreed = false): Promise<MetricsView> {
    const { auth, sendsSpans } = input
    const endpoint = readEndpoint(input.endpoint)
    const { settings, vault, clock, confirm } = this.deps
    const otlpBefore = settings.read().metrics.otlp
    const isKnown = otlpBefore !== undefined && toRoot(otlpBefore.endpoint) === toRoot(endpoint)
    if (auth !== undefined && secret === undefined && !(isKnown && otlpBefore.kept !== undefined))
      throw new AppError('input.invalid', 'Give the secret that the collector asks for.', { field: 'secret' })
    if (!isAgreed && (!isKnown || (sendsSpans && !otlpBefore.sendsSpans) || secret !== undefined))
      await requireConsent(confirm, { kind: 'sendMetrics', endpoint, sendsSpans, isSigned: auth !== undefined })
    const otlpFields = { endpoint, sendsSpans, auth }
    if (auth === undefined) {
      await vault.forget(metricsAccount, otlpBefore?.kept)
      this.#save(otlpFields)
    } else if (secret === undefined) {
      this.#save({ ...otlpFields, kept: otlpBefore?.kept, secretAt: otlpBefore?.secretAt })
    } else {
      const secretAt = clock().toISOString()
      await saveWithRecord(this.deps, metricsAccount, secret, (kept) => this.#save({ ...otlpFields, kept, secretAt }))
    }
    return this.get()
  }

  /** Stops OTLP export and deletes its secret. */
  async removeOtlp(): Promise<MetricsView> {
    const { settings, vault } = this.deps
    await vault.forget(metricsAccount, settings.read().metrics.otlp?.kept)
    this.#save(undefined)
    return this.get()
  }

  #save(otlp: MetricsRecord['otlp']): void {
    this.deps.settings.update(({ metrics: { isScraped } }) => ({
      metrics: { isScraped, ...(otlp ? { otlp } : {}) },
    }))
  }
}

/** Parses the base URL of a collector, without the path of a signal. Fails with `address.*`. */
function readEndpoint(enteredEndpoint: string): string {
  const text = enteredEndpoint.trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined)
    throw new AppError(
      'address.notAnAddress',
      `${text} is not a valid address. Enter it as https://collector.example.com:4318.`,
      { field: 'endpoint' },
    )
  if (url.username !== '' || url.password !== '')
    throw new AppError('address.credentials', 'Leave the password out of the address.', { field: 'endpoint' })
  const refusal = refuseRequestAddress(url.href)
  if (refusal) throw new AppError(refusal.code, refusal.message, { ...refusal, field: 'endpoint' })
  url.search = ''
  url.hash = ''
  return url.href.replace(/\/+$/, '').replace(/\/v1\/(?:metrics|traces)$/, '')
}

export type MetricsSettings = Pick<Settings, 'metrics' | 'plans' | 'connections'>

/** Header and value prefix of a collector's authentication. */
function toHeader(auth: OtlpAuth): { readonly name: string; readonly scheme?: string } {
  if (auth.kind === 'header') return { name: auth.name }
  return { name: 'authorization', scheme: auth.kind === 'basic' ? 'Basic' : 'Bearer' }
}

/** Metrics configuration of the relay process, or undefined when off. Omits exporters whose secret can't be read. */
export async function buildRelayMetrics(
  { metrics: { isScraped, otlp }, plans, connections }: MetricsSettings,
  deps: {
    readonly token: () => Promise<Secret>
    readonly header: () => Promise<Secret>
    readonly proxyFor: ResolveProxy
  },
): Promise<RelayMetrics | undefined> {
  const metricsToken = isScraped ? await deps.token().catch(() => undefined) : undefined
  const secret = otlp?.kept === undefined ? undefined : await deps.header().catch(() => undefined)
  // With wrong proxy settings, send no metrics rather than send them without the proxy.
  const network = otlp && (await deps.proxyFor(otlp.endpoint).catch(() => undefined))
  const isMissing =
    otlp === undefined ||
    network === undefined ||
    refuseRequestAddress(otlp.endpoint) !== undefined ||
    (otlp.kept !== undefined && secret === undefined)
  const credential = secret && otlp?.auth && { ...toHeader(otlp.auth), value: secret }
  const sender = isMissing
    ? undefined
    : { endpoint: otlp.endpoint, sendsSpans: otlp.sendsSpans, network, header: credential }
  if (metricsToken === undefined && sender === undefined) return undefined
  return {
    token: metricsToken,
    otlp: sender,
    planNames: [...buildPlanLabels(plans, connections)].map(([id, name]) => ({ id, name })),
    models: [...new Set(plans.flatMap(({ models }) => models))],
  }
}

/** Text for comparing settings. Equal for settings that result in the same metrics. */
export function metricsText({ metrics, plans, connections }: MetricsSettings): string {
  if (!metrics.isScraped && !metrics.otlp) return ''
  return JSON.stringify([metrics, [...buildPlanLabels(plans, connections)], plans.map(({ models }) => models)])
}
