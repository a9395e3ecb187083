import type { ProfileFile } from '@shared/contract'
import { suggestName } from '../plans/plan-fields'

const longestName = 50

/** A name for the plan of a file that the rule of names allows and no plan here has: its own, else its host's, with a number behind it where needed. */
export function freePlanName(
  { name, gatewayUrl }: Pick<ProfileFile['plans'][number], 'name' | 'gatewayUrl'>,
  taken: readonly string[],
): string {
  const allowed = name.replace(/[^a-zA-Z0-9_.-]+/g, '-').replace(/^-+|-+$/g, '')
  const wanted = allowed || suggestName(gatewayUrl) || 'plan'
  for (let n = 1; ; n += 1) {
    const mark = n === 1 ? '' : `-${n}`
    const free = wanted.slice(0, longestName - mark.length) + mark
    if (!taken.includes(free)) return free
  }
}
