import { shellWord } from '../registry/docker-lines'
import type { CheckWish } from './check-store'

const options = [
  ['path', 'samplePath'],
  ['user', 'userId'],
  ['session', 'sessionId'],
  ['body', 'sampleBody'],
] as const

/** The check as a line for a terminal; what was left empty is left out. */
export const checkLine = (wish: CheckWish): string =>
  [
    `companion contract check ${shellWord(wish.url.trim())}`,
    ...options.flatMap(([option, field]) => {
      const value = wish[field].trim()
      return value === '' ? [] : [`--${option} ${shellWord(value)}`]
    }),
  ].join(' ')
