import type { SettingsView } from './contract'

/** Data of the first frame: the look, and the number of plans and connections on home. */
export interface PageStart {
  readonly view: SettingsView
  readonly plans: number
  readonly connections: number
}

/** Maximum number of plans on home. */
export const plansAtHome = 5

/** Placeholder of the page in the frame. */
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
