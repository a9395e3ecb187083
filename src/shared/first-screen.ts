import type { SettingsView } from './contract'

/** Data of the first rendered frame: the display settings, and the number of plans and connections. */
export interface FirstScreenData {
  readonly view: SettingsView
  readonly plans: number
  readonly connections: number
}

/** Maximum number of plans shown on Home. */
export const maxHomePlans = 5

/** HTML placeholder for the page in a prerendered first screen. */
export const pageGap = '<i></i>'

/** Name of the meta element that contains the `FirstScreenData`. */
export const startMetaName = 'companion-start'

/** Navigation rail: with labels, collapsed by the user, or collapsed for a narrow window. */
export type RailForm = 'wide' | 'collapsed' | 'narrow'

/** Window width in CSS px up to which the navigation rail collapses. */
export const narrowWidth = 820

type Locale = SettingsView['locale']

/** Name of a prerendered first screen with the frame of the window and a placeholder for the page. */
export const frameName = (locale: Locale, rail: RailForm, hasPlatform: boolean): string =>
  `${locale}-${rail}${hasPlatform ? '-platform' : ''}`

export const welcomeName = (locale: Locale): string => `${locale}-welcome`

/** Name of a prerendered Home without data: with setup options only, or with a placeholder per plan. */
export function homeName(locale: Locale, { plans, connections }: Omit<FirstScreenData, 'view'>): string {
  const rows = plans === 0 ? 2 : Math.min(plans, maxHomePlans)
  return `${locale}-home-${plans === 0 && connections === 0 ? 'empty' : rows}`
}
