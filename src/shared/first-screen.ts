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

/** Name of the meta element that contains the `PageStart`. */
export const startMetaName = 'companion-start'

/** Navigation rail: with labels, collapsed by the user, or collapsed for a narrow window. */
export type RailForm = 'wide' | 'collapsed' | 'narrow'

/** Maximum window width in CSS px for the collapsed rail. */
export const narrowWidth = 820

type Locale = SettingsView['locale']

/** Name of a first screen that was prerendered at build time: the frame around a page, with a placeholder for it. */
export const frameName = (locale: Locale, rail: RailForm, hasPlatform: boolean): string =>
  `${locale}-${rail}${hasPlatform ? '-platform' : ''}`

export const welcomeName = (locale: Locale): string => `${locale}-welcome`

/** Empty home page without data: setup options only, or a placeholder per plan. */
export function homeName(locale: Locale, { plans, connections }: Omit<PageStart, 'view'>): string {
  const rows = plans === 0 ? 2 : Math.min(plans, plansAtHome)
  return `${locale}-home-${plans === 0 && connections === 0 ? 'empty' : rows}`
}
