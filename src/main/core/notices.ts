import { randomUUID } from 'node:crypto'
import { dayMs } from '@shared/durations'
import { type Locale, translator } from './i18n'
import type { AlertEpisode, AlertMemory, AlertMessage, AlertsRecord } from './settings/records'

/** A notification. A click opens `path` in the window. */
export interface Notice {
  readonly title: string
  readonly body: string
  readonly path: string
}

/** A notice that a summary can replace, if there are several. */
export interface GroupedNotice extends Notice {
  readonly group: keyof typeof summaries
  readonly name: string
  /** Age in days that the item has reached. */
  readonly days?: number
}

/** A notice of something that lasts. */
export interface StateNotice extends GroupedNotice {
  /** Fields of its message to the webhook. */
  readonly facts: Omit<AlertMessage, 'id' | 'title' | 'text' | 'at'>
  /** Entry in the list of alerts. */
  readonly alert?: Omit<AlertsRecord['shown'][number], 'id' | 'at'>
}

/** A state that lasts for an episode, which `kind` and `of` identify. */
export interface Subject extends AlertEpisode {
  /** Whether no episode begins now, for example because alerts are snoozed. A running episode continues. */
  readonly isSilent?: boolean
  /** Another subject that the notice of this one covers. */
  readonly covered?: Subject | undefined
  readonly describe: (locale: Locale) => StateNotice
}

export interface FoundNotices {
  readonly notices: readonly StateNotice[]
  readonly memory: AlertMemory
}

export const toAlertMessage = (
  { title, body: text, facts }: Pick<StateNotice, 'title' | 'body' | 'facts'>,
  at: Date,
): AlertMessage => ({
  id: randomUUID(),
  ...facts,
  title,
  text,
  at: at.toISOString(),
})

/**
 * Finds the notices that are due, each once per episode, and again when its rank rises. Rank 0 begins no episode, but
 * can end one earlier. An episode without `endsAt` ends when its subject is missing. `toCurrentKey` updates the keys of
 * saved episodes. Of duplicates, the one with the highest rank is kept.
 */
export function findNotices(
  subjects: readonly Subject[],
  memory: AlertMemory,
  options: {
    readonly nowMs: number
    readonly locale: Locale
    readonly toCurrentKey: (episode: AlertEpisode) => string
  },
): FoundNotices {
  const { nowMs, locale, toCurrentKey } = options
  const savedEpisodes = [...memory.episodes, ...convertEarlierRecords(memory, nowMs)].map((episode) => {
    return { ...episode, of: toCurrentKey(episode) }
  })
  const episodes = findOpenEpisodes(savedEpisodes, new Set(subjects.map(toKey)), nowMs)
  const notices: StateNotice[] = []
  for (const subject of subjects) {
    const isNew = subject.rank > (episodes.get(toKey(subject))?.rank ?? 0)
    if (isNew && subject.isSilent) continue
    continueEpisode(episodes, subject)
    if (!isNew) continue
    notices.push(subject.describe(locale))
    if (subject.covered) continueEpisode(episodes, subject.covered)
  }
  return { notices, memory: { episodes: [...episodes.values()], reminders: [], keys: [], rotations: [] } }
}

const toKey = ({ kind, of }: Pick<AlertEpisode, 'kind' | 'of'>): string => `${kind} ${of}`

function findOpenEpisodes(savedEpisodes: readonly AlertEpisode[], subjectKeys: ReadonlySet<string>, nowMs: number) {
  const episodes = new Map<string, AlertEpisode>()
  for (const episode of savedEpisodes) {
    const key = toKey(episode)
    const isOpen = episode.endsAt === undefined ? subjectKeys.has(key) : Date.parse(episode.endsAt) > nowMs
    if (isOpen && episode.rank > (episodes.get(key)?.rank ?? 0)) episodes.set(key, episode)
  }
  return episodes
}

function continueEpisode(episodes: Map<string, AlertEpisode>, { kind, of, rank, endsAt }: Subject): void {
  const key = toKey({ kind, of })
  const episode = episodes.get(key)
  if (rank > 0) episodes.set(key, { kind, of, endsAt, rank: Math.max(rank, episode?.rank ?? 0) })
  else if (episode?.endsAt && endsAt && endsAt < episode.endsAt) episodes.set(key, { ...episode, endsAt })
}

/** Converts the lists of shown reminders that earlier versions stored. */
function convertEarlierRecords({ reminders, keys, rotations }: AlertMemory, nowMs: number): AlertEpisode[] {
  const readableReminders = reminders.filter(({ expiresAt }) => !Number.isNaN(Date.parse(expiresAt)))
  return [
    ...readableReminders.map(({ planId, expiresAt, what }): AlertEpisode => {
      const episode = { of: JSON.stringify([planId, expiresAt]), endsAt: expiryReminderEnd(expiresAt) }
      if (what === 'renewalFailed') return { kind: 'renewal', rank: 1, ...episode }
      return { kind: 'expiry', rank: toExpiryRank(what === 'expired' ? 0 : Number(what)), ...episode }
    }),
    ...keys.flatMap(({ keyId, addedAt, days: rank }) =>
      (['oldKey', 'unconfirmedKey'] as const).map((kind) => {
        return { kind, of: JSON.stringify([keyId, addedAt]), rank, endsAt: keyReminderEnd(nowMs) }
      }),
    ),
    ...rotations.map((of) => ({ kind: 'rotation' as const, of, rank: 1 })),
  ]
}

/** Rank of a reminder this number of days before the expiry of a plan. 0 is the expiry. */
export const toExpiryRank = (days: number): number => 1000 - days

/** Shown reminders are remembered for 90 days after the expiry. */
export const expiryReminderEnd = (expiresAt: string): string =>
  new Date(Date.parse(expiresAt) + 90 * dayMs).toISOString()

/** Remembers a key for at least a year after it was last seen. Changes once a year, to write the settings rarely. */
export const keyReminderEnd = (nowMs: number): string =>
  new Date(Date.UTC(new Date(nowMs).getUTCFullYear() + 2, 0)).toISOString()

const summaries = {
  alerts: { title: 'alerts.several.title', body: 'alerts.several.body', path: '/usage/alerts' },
  plans: { title: 'reminders.several.title', body: 'reminders.several.body', path: '/plans' },
  oldKeys: { title: 'keyAge.severalOld.title', body: 'keyAge.severalOld.body', path: '/register' },
  unconfirmedKeys: {
    title: 'keyAge.severalUnconfirmed.title',
    body: 'keyAge.severalUnconfirmed.body',
    path: '/register',
  },
  rotations: { title: 'scheduledRotation.several', path: '/register/rotations' },
  endedKeys: { title: 'keyEnded.several', path: '/register' },
  relaySwitches: { title: 'relaySwitch.several', path: '/relay' },
  keySwitches: { title: 'keySwitch.several', path: '/team' },
} as const

/** Summary of several notices of a group, with their number and first names. */
export function summarize(group: GroupedNotice['group'], notices: readonly GroupedNotice[], locale: Locale): Notice {
  const t = translator(locale)
  const { path, ...texts } = summaries[group]
  const names = joinNames([...new Set(notices.map(({ name }) => name))], locale)
  const [count, days] = [notices.length, Math.min(...notices.map((notice) => notice.days ?? 0))]
  const values = { names, count, total: count, days }
  return { title: t(texts.title, values), body: 'body' in texts ? t(texts.body, values) : names, path }
}

const maxNames = 2

function joinNames(names: readonly string[], locale: Locale): string {
  const t = translator(locale)
  const count = names.length - maxNames
  if (count > 0) return t('andMore', { first: names.slice(0, maxNames).join(', '), count })
  const [first = '', last] = names
  return last === undefined ? first : t('and', { first, last })
}
