const longestText = 128 * 1024
const weightPerEntry = 64
const mostWeight = 1024 * 1024

/**
 * The same function, which remembers its results for texts of up to 128 Ki characters. It keeps at most 2 Mi characters: the recent
 * half, and the half before it, of which a text that is asked for again moves up.
 */
export function rememberCounts(count: (text: string) => number): (text: string) => number {
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()]
  let weight = 0
  return (text) => {
    if (text.length > longestText) return count(text)
    const known = recent.get(text)
    if (known !== undefined) return known
    const counted = older.get(text) ?? count(text)
    weight += text.length + weightPerEntry
    if (weight > mostWeight) {
      ;[recent, older] = [new Map(), recent]
      weight = text.length + weightPerEntry
    }
    recent.set(text, counted)
    return counted
  }
}
