import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Gauge, PlanQuota } from '@shared/contract/quota'

// The status line of a coding tool reads this file many times a minute: nothing is imported here that loads a library.

/** One quota as the status line tells it. */
export interface StatusQuota {
  readonly planId?: string | undefined
  readonly plan: string
  readonly model: string
  /** Of tokens, rounded down; absent where the quota is not known. */
  readonly tokensPercent?: number | undefined
  readonly requestsLeft?: number | undefined
  /** When it is likely to run out, ISO 8601; absent where it lasts, or nothing is known. */
  readonly runsOutAt?: string | undefined
  readonly isExhausted: boolean
}

/** What the status line knows: the lowest quota first. */
export interface StatusCache {
  readonly at: string
  readonly quotas: readonly StatusQuota[]
}

const pathIn = (dataDir: string): string => join(dataDir, 'statusline.json')

/** Keeps the figures for the status line; that they cannot be written is no failure of whoever asked for them. */
export function writeStatusCache(dataDir: string, plans: readonly PlanQuota[], at: Date): void {
  const quotas = plans.filter(({ isExpired }) => !isExpired).flatMap(quotasOf)
  writeWhole(pathIn(dataDir), JSON.stringify({ at: at.toISOString(), quotas } satisfies StatusCache))
}

/** Writes a file of the status line as a whole or not at all, which is no failure. */
export function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, path)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** The figures as they were kept last; undefined when there are none. */
export function readStatusCache(dataDir: string): StatusCache | undefined {
  try {
    const { at, quotas } = JSON.parse(readFileSync(pathIn(dataDir), 'utf8'))
    return typeof at === 'string' && Array.isArray(quotas) ? { at, quotas } : undefined
  } catch {
    return undefined
  }
}

function quotasOf({ planId, name: plan, models }: PlanQuota): StatusQuota[] {
  const all = models.map(({ modelCode: model, tokens, requests }) => {
    const soonest = [tokens, requests]
      .flatMap(({ forecast }) => (forecast.kind === 'runsOut' ? [forecast.at] : []))
      .sort()
    return {
      ...{ planId, plan, model, tokensPercent: remainingPercent(tokens), runsOutAt: soonest[0] },
      requestsLeft: requests.quota === undefined ? undefined : Math.max(0, requests.quota - requests.used),
      isExhausted: [tokens, requests].some(({ forecast }) => forecast.kind === 'exhausted'),
    }
  })
  return all.sort((a, b) => (a.tokensPercent ?? 101) - (b.tokensPercent ?? 101))
}

/** What remains of a quota as a whole percentage, rounded down; undefined where no quota is known. */
export function remainingPercent({ quota, used }: Pick<Gauge, 'quota' | 'used'>): number | undefined {
  return quota === undefined || quota === 0 ? undefined : Math.floor(Math.max(0, 1 - used / quota) * 100 + 1e-9)
}
