/** The host of an address, as one says it: without the scheme. */
export const hostOf = (url: string): string => url.replace(/^https?:\/\//, '')
