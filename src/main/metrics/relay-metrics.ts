import type { OtlpAuth } from '@shared/contract'
import { refuseRequestAddress } from '../gateway/address'
import type { RelayMetrics } from '../relay/ports'
import type { Secret } from '../secret'
import type { Settings } from '../settings/settings'

/** What of the settings it is made of. */
export type MetricsSettings = Pick<Settings, 'metrics' | 'plans'>

interface MetricsSecrets {
  /** What Prometheus shows. */
  readonly token: () => Promise<Secret>
  /** The value of the header that goes with OTLP. */
  readonly header: () => Promise<Secret>
}

/** The header of a way to sign in to a collector, and what stands before the value there. */
function headerOf(auth: OtlpAuth): { readonly name: string; readonly scheme?: string } {
  if (auth.kind === 'header') return { name: auth.name }
  return { name: 'authorization', scheme: auth.kind === 'basic' ? 'Basic' : 'Bearer' }
}

/** What the relay's process is told; undefined when nothing is switched on. A secret that cannot be read leaves out what needs it. */
export async function buildRelayMetrics(
  { metrics: { isScraped, otlp }, plans }: MetricsSettings,
  { token, header }: MetricsSecrets,
): Promise<RelayMetrics | undefined> {
  const shown = isScraped ? await token().catch(() => undefined) : undefined
  const secret = otlp?.kept === undefined ? undefined : await header().catch(() => undefined)
  const isMissing =
    otlp === undefined ||
    refuseRequestAddress(otlp.endpoint) !== undefined ||
    (otlp.kept !== undefined && secret === undefined)
  const sent = isMissing
    ? undefined
    : {
        endpoint: otlp.endpoint,
        sendsSpans: otlp.sendsSpans,
        ...(secret && otlp.auth ? { header: { ...headerOf(otlp.auth), value: secret } } : {}),
      }
  if (shown === undefined && sent === undefined) return undefined
  return {
    ...(shown ? { token: shown } : {}),
    ...(sent ? { otlp: sent } : {}),
    planNames: plans.map(({ id, name }) => ({ id, name })),
  }
}

/** Says the same for two settings from which the same comes. */
export const metricsText = ({ metrics, plans }: MetricsSettings): string =>
  JSON.stringify([metrics, metrics.isScraped || metrics.otlp ? plans.map(({ id, name }) => [id, name]) : []])
