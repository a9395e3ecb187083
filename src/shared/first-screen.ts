import type { SettingsView } from './contract'

/** What is known of the window before anything is loaded: how it is to look, and how many plans and connections home will list. */
export interface PageStart {
  readonly view: SettingsView
  readonly plans: number
  readonly connections: number
}

/** Home lists so many plans at most. */
export const plansAtHome = 5

/** Stands in a frame where its page will be. */
export const pageGap = '<i></i>'

/** The name of the page's meta element that holds its `PageStart`. */
export const startMeta = 'companion-start'

/** The rail has names, was made small, or is small because the window is. */
export type RailForm = 'wide' | 'collapsed' | 'narrow'

/** A window that is not wider than this, in CSS px, has no room for a rail with names. */
export const narrowWidth = 820

type Locale = SettingsView['locale']

/** The names of the first screens, which are drawn when the app is built. The frame around a page, with a gap for it: */
export const frameName = (locale: Locale, rail: RailForm, hasPlatform: boolean): string =>
  `${locale}-${rail}${hasPlatform ? '-platform' : ''}`

export const welcomeName = (locale: Locale): string => `${locale}-welcome`

/** Home without its data: nothing but the ways in where there is nothing yet, otherwise room for each plan. */
export function homeName(locale: Locale, { plans, connections }: Omit<PageStart, 'view'>): string {
  const rows = plans === 0 ? 2 : Math.min(plans, plansAtHome)
  return `${locale}-home-${plans === 0 && connections === 0 ? 'empty' : rows}`
}
