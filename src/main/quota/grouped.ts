/** Groups in the order of their first members. */
export function grouped<T>(all: readonly T[], by: (one: T) => string): (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const one of all) {
    const group = groups.get(by(one))
    if (group) group.push(one)
    else groups.set(by(one), [one])
  }
  return [...groups.values()]
}
