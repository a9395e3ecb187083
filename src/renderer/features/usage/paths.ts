import { type Wanted, writeWanted } from './usage-query'

/** The page with figures and charts. */
export const usagePath = '/usage'

/** Its tab with the allowances and their forecasts. */
export const leftPath = '/usage/left'

/** How one model's quota is used up over the cycle; the plan by its id at the account, or on this machine. */
export const burnDownPath = (planId: string, modelCode: string, of?: 'tokens' | 'requests'): string =>
  `/usage/burn-down?${new URLSearchParams({ plan: planId, model: modelCode, ...(of && { of }) })}`

/** Where the relay is switched on. */
export const relayPath = '/relay'

/** Where the sources of figures are switched on and off: tools' own logs among them. */
export const sourcesPath = '/usage/sources'

/** The page with the figures of a plan, a model and so on. */
export const figuresPath = (wanted: Partial<Wanted>): string => `${usagePath}${writeWanted(wanted)}`

/** The page with single requests. */
export const requestsPath = (wanted: Partial<Wanted>): string => `${usagePath}/requests${writeWanted(wanted)}`
