import type { ShortcutId } from '@shared/shortcuts'
import { matchPath } from 'react-router'
import type { en } from '../../i18n/en'

type HelpTexts = (typeof en)['help']
export type GuideId = keyof HelpTexts['guides']['names']
type KeyHelp = keyof HelpTexts['keys']

export const pageKeys: Readonly<Record<KeyHelp, readonly string[]>> = {
  apply: ['Mod', 'Enter'],
  run: ['Mod', 'Enter'],
  save: ['Mod', 'S'],
  undo: ['Mod', 'Z'],
  paste: ['Mod', 'V'],
  send: ['Enter'],
  newLine: ['Shift', 'Enter'],
  rows: ['↑', '↓'],
  openRow: ['Enter'],
}

export interface PageHelp {
  readonly id: keyof HelpTexts['pages']
  readonly guide?: GuideId
  readonly keys?: readonly (KeyHelp | Extract<ShortcutId, 'find' | 'newChat'>)[]
}

const table = ['find', 'rows', 'openRow'] as const

/** Help content by the path pattern of a page, as in `main.tsx`. The first matching pattern is used. */
const pages: readonly (readonly [pattern: string, help: PageHelp])[] = [
  ['/', { id: 'home', guide: 'developer' }],
  ['/tools', { id: 'tools', guide: 'developer', keys: ['find'] }],
  ['/tools/set-up', { id: 'setUp', guide: 'developer', keys: ['apply'] }],
  ['/tools/mcp', { id: 'mcp', guide: 'developer' }],
  ['/tools/remove-all', { id: 'removeAll', guide: 'developer' }],
  ['/tools/:toolId', { id: 'tool', guide: 'developer', keys: ['apply'] }],
  ['/tools/:toolId/doctor', { id: 'doctor', guide: 'developer' }],
  ['/doctor', { id: 'doctor', guide: 'developer' }],
  ['/profiles/*', { id: 'profiles', guide: 'developer' }],
  ['/history/*', { id: 'history', guide: 'developer', keys: ['find'] }],
  ['/plans', { id: 'plans', guide: 'developer', keys: [...table] }],
  ['/plans/new', { id: 'newPlan', guide: 'developer', keys: ['paste'] }],
  ['/plans/packages/*', { id: 'packages', guide: 'team-lead' }],
  ['/plans/:planId', { id: 'plan', guide: 'developer' }],
  ['/usage', { id: 'usage', guide: 'quota-watcher' }],
  ['/usage/left', { id: 'left', guide: 'quota-watcher', keys: ['find'] }],
  ['/usage/burn-down', { id: 'burnDown', guide: 'quota-watcher' }],
  ['/usage/requests', { id: 'requests', guide: 'quota-watcher', keys: ['rows', 'openRow'] }],
  ['/usage/alerts', { id: 'alerts', guide: 'quota-watcher' }],
  ['/usage/budgets', { id: 'budgets', guide: 'quota-watcher' }],
  ['/usage/sources', { id: 'sources', guide: 'quota-watcher' }],
  ['/relay/*', { id: 'relay', guide: 'developer' }],
  ['/register/*', { id: 'keys', guide: 'team-lead', keys: [...table] }],
  ['/rotate/*', { id: 'rotate', guide: 'team-lead' }],
  ['/handout/open', { id: 'receive', guide: 'team-lead' }],
  ['/handout/*', { id: 'handout', guide: 'team-lead' }],
  ['/team', { id: 'team', guide: 'team-lead' }],
  ['/sandbox', { id: 'sandbox', guide: 'engineer' }],
  ['/playground/compare/*', { id: 'compare', guide: 'engineer', keys: ['run', 'undo'] }],
  ['/playground/prompts/*', { id: 'prompts', guide: 'engineer', keys: ['find', 'save'] }],
  ['/playground/completion', { id: 'completion', guide: 'engineer', keys: ['run'] }],
  ['/playground/embeddings', { id: 'embeddings', guide: 'engineer' }],
  ['/playground/*', { id: 'playground', guide: 'engineer', keys: ['newChat', 'send', 'newLine'] }],
  ['/memory/*', { id: 'memory', guide: 'engineer', keys: [...table] }],
  ['/runtimes/*', { id: 'runtimes', guide: 'engineer', keys: [...table] }],
  ['/registry/*', { id: 'registry', guide: 'engineer', keys: [...table] }],
  ['/identities/*', { id: 'identities', guide: 'engineer', keys: [...table] }],
  ['/models/*', { id: 'models', guide: 'engineer', keys: [...table] }],
  ['/connections', { id: 'connections', guide: 'developer' }],
  ['/settings', { id: 'settings', guide: 'developer' }],
  ['/help/*', { id: 'help' }],
]

export const findPageHelp = (pathname: string): PageHelp | undefined =>
  pages.find(([pattern]) => matchPath(pattern, pathname))?.[1]
