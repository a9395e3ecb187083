import type { ResourceT } from './resource'

/** What a value must be, and the words that say so. */
export interface Rule {
  readonly accepts: (text: string) => boolean
  readonly words: (t: ResourceT) => string
  /** Of a number: its bounds. */
  readonly min?: number
  readonly max?: number
}

const matching = (pattern: RegExp, words: Rule['words']): Rule => ({ accepts: (text) => pattern.test(text), words })

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

/** A whole number within bounds; `words` say them. */
export const whole = (min: number, max: number, words: Rule['words']): Rule => ({
  accepts: (text) => isNumber(text) && Number.isInteger(Number(text)) && Number(text) >= min && Number(text) <= max,
  words,
  min,
  max,
})

/** Any number within bounds. */
const between = (min: number, max: number, words: Rule['words']): Rule => ({
  accepts: (text) => isNumber(text) && Number(text) >= min && Number(text) <= max,
  words,
  min,
  max,
})

/** Names of agent identities and of providers (spec, "Limits"). */
export const identityName = matching(/^[a-zA-Z0-9_-]{1,50}$/, (t) => t('rules.identityName'))

/** Names of platform API keys (spec, "Limits"). */
export const apiKeyName = matching(/^[a-z0-9-]{5,50}$/, (t) => t('rules.apiKeyName'))

/** Names of memories (spec, "Limits"). */
export const memoryName = matching(/^[a-zA-Z0-9._-]{0,50}$/, (t) => t('rules.memoryName'))

/** How long events are kept, in days (spec, "Limits"). */
export const expiryDays = whole(1, 365, (t) => t('rules.expiryDays'))

/** Replicas of a runtime (spec, "Limits"). */
export const replicas = whole(1, 10, (t) => t('rules.replicas'))

/** Thresholds of a runtime, in percent (spec, "Limits"). */
export const threshold = between(25, 75, (t) => t('rules.threshold'))

/** From which line on a log is asked for (spec, "Limits"). */
export const logFrom = whole(0, 5000, (t) => t('rules.logFrom'))

/** How many lines of a log are asked for (spec, "Limits"). */
export const logLimit = whole(1, 1000, (t) => t('rules.logLimit'))

/** How many records a search gives (spec, "Limits"). */
export const searchLimit = whole(5, 200, (t) => t('rules.searchLimit'))

/** From which score on a record is found (spec, "Limits"). */
export const scoreThreshold = between(0, 1, (t) => t('rules.scoreThreshold'))

/** An address of the web. */
export const webAddress: Rule = {
  accepts: (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  words: (t) => t('rules.webAddress'),
}
