/** The names most like what was typed, the likest first; none when nothing is near. */
export function nearest(typed: string, names: readonly string[], most = 3): string[] {
  const wanted = typed.toLowerCase().slice(0, LONGEST)
  const scored = names.map((name) => ({ name, score: unlikeness(wanted, name.toLowerCase()) }))
  return scored
    .filter(({ score }) => score <= FARTHEST)
    .sort((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ name }) => name)
}

const LONGEST = 100
const FARTHEST = 0.4

/** 0 for the same, 1 for nothing in common; a name that holds what was typed, part by part, is near. */
function unlikeness(typed: string, name: string): number {
  const parts = typed.split(/[^a-z0-9]+/).filter((part) => part !== '')
  const isWithin = parts.length > 0 && parts.every((part) => name.includes(part))
  const apart = distance(typed, name) / Math.max(typed.length, name.length, 1)
  return isWithin ? apart * FARTHEST : apart
}

/** How many letters have to be put in, taken out or changed (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1]
    for (let at = 1; at <= other.length; at += 1) {
      const changed = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
