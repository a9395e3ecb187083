import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Gauge, PlanQuota } from '@shared/contract/quota'

// Status lines read this file many times a minute, so this module must not import libraries.

export interface StatusQuota {
  readonly planId?: string | undefined
  readonly plan: string
  readonly model: string
  /** Remaining tokens, rounded down. Omitted if unknown. */
  readonly tokensPercent?: number | undefined
  readonly requestsLeft?: number | undefined
  /** Predicted time at which the allowance runs out (ISO 8601). Undefined if it lasts or there is no forecast. */
  readonly runsOutAt?: string | undefined
  readonly isExhausted: boolean
  /** Time of these figures. Undefined if it is the same as that of the whole cache. */
  readonly at?: string | undefined
}

/** Cached quotas for the status line, lowest first. */
export interface StatusCache {
  readonly at: string
  readonly quotas: readonly StatusQuota[]
}

const getCachePath = (dataDir: string): string => join(dataDir, 'statusline.json')

const maxAgeMs = 24 * 60 * 60_000

/**
 * Caches quotas for the status line. When a quota becomes unknown, for example because a console does not respond,
 * the last known value is kept for a day.
 */
export function writeStatusCache(dataDir: string, plans: readonly PlanQuota[], currentTime: Date): void {
  const cacheBefore = readStatusCache(dataDir)
  const earlierQuotas = (cacheBefore?.quotas ?? [])
    .map((quota): StatusQuota => ({ ...quota, at: quota.at ?? cacheBefore?.at }))
    .filter((quota) => isKnown(quota) && currentTime.getTime() - Date.parse(quota.at ?? '') < maxAgeMs)
  const quotas = plans
    .filter(({ isExpired }) => !isExpired)
    .flatMap((plan) => {
      const statusQuotas = toStatusQuotas(plan)
      const planQuotas = earlierQuotas.filter((quota) => (quota.planId ?? quota.plan) === (plan.planId ?? plan.name))
      if (statusQuotas.length === 0) return planQuotas
      return statusQuotas.map((quota) =>
        isKnown(quota) ? quota : (planQuotas.find(({ model }) => model === quota.model) ?? quota),
      )
    })
  const cache: StatusCache = { at: currentTime.toISOString(), quotas }
  writeAtomically(getCachePath(dataDir), JSON.stringify(cache))
}

const isKnown = ({ tokensPercent, requestsLeft }: StatusQuota): boolean =>
  tokensPercent !== undefined || requestsLeft !== undefined

/** Writes a file atomically. Ignores a failure, because the file is only a cache. */
export function writeAtomically(path: string, text: string): void {
  const temporaryFile = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporaryFile, text, { mode: 0o600 })
    renameSync(temporaryFile, path)
  } catch {
    rmSync(temporaryFile, { force: true })
  }
}

export function readStatusCache(dataDir: string): StatusCache | undefined {
  try {
    const { at, quotas } = JSON.parse(readFileSync(getCachePath(dataDir), 'utf8'))
    return typeof at === 'string' && Array.isArray(quotas) ? { at, quotas } : undefined
  } catch {
    return undefined
  }
}

function toStatusQuotas({ planId, name: plan, models }: PlanQuota): StatusQuota[] {
  const modelQuotas = models.map(({ modelCode: model, tokens, requests }) => {
    const ends = [tokens, requests].flatMap(({ forecast }) => (forecast.kind === 'runsOut' ? [forecast.at] : []))
    return {
      planId,
      plan,
      model,
      tokensPercent: remainingPercent(tokens),
      runsOutAt: ends.sort()[0],
      requestsLeft: requests.quota === undefined ? undefined : Math.max(0, requests.quota - requests.used),
      isExhausted: [tokens, requests].some(({ forecast }) => forecast.kind === 'exhausted'),
    }
  })
  return modelQuotas.sort((a, b) => (a.tokensPercent ?? 101) - (b.tokensPercent ?? 101))
}

/** Remaining share in whole percent, rounded down. Undefined without a quota. */
export function remainingPercent({ quota, used }: Pick<Gauge, 'quota' | 'used'>): number | undefined {
  return quota === undefined || quota === 0 ? undefined : Math.floor(Math.max(0, 1 - used / quota) * 100 + 1e-9)
}
