import { useMemo } from 'react'
import { useCall } from '../../ipc'
import { useConsole } from './console'

/** The colour of each model, the same everywhere in the window: told apart from all other models of the plans there are. */
export function useModelColour(): (modelCode: string) => string {
  const console = useConsole()
  const connectionId = console.kind === 'there' ? console.connection.id : ''
  const local = useCall('plans.list', {})
  // Read where it is known already: a colour is no reason to ask a console.
  const account = useCall('account.plans', { connectionId }, { enabled: false })
  const hues = useMemo(() => {
    const here = local.data?.flatMap(({ models }) => models) ?? []
    const there = account.data?.flatMap(({ models }) => models.map(({ modelCode }) => modelCode)) ?? []
    return assignHues([...here, ...there])
  }, [local.data, account.data])
  return (modelCode) => pickColour(modelCode, hues)
}

/** How many hues there are: `--series-1` to `--series-6`. */
const hueCount = 6

/** A number made of a text: the same for the same text, in every window and after every start. */
function digest(text: string): number {
  let hash = 2166136261
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619)
  return hash >>> 0
}

/**
 * The hue of each code, 1 to 6: the one its name gives, or the next free one. Only what is given counts, not its order; so a code has the
 * same hue wherever the same codes are known, and no two share one while there are at most six.
 */
export function assignHues(codes: Iterable<string>): ReadonlyMap<string, number> {
  const hues = new Map<string, number>()
  const taken = new Set<number>()
  for (const code of [...new Set(codes)].sort()) {
    let hue = digest(code) % hueCount
    if (taken.size < hueCount) while (taken.has(hue)) hue = (hue + 1) % hueCount
    taken.add(hue)
    hues.set(code, hue + 1)
  }
  return hues
}

/** The colour of a code: of those known, its own; of another, the one its name gives. */
export const pickColour = (code: string, hues: ReadonlyMap<string, number>): string =>
  `var(--series-${hues.get(code) ?? (digest(code) % hueCount) + 1})`
