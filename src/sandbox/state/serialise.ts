const cachedDepth = 5

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Turns values into JSON that `JSON.parse` reads back, and remembers the text of the upper branches: of a world in which one branch was
 * replaced, only that branch is worked through again. Values must not be changed in place.
 */
export function createSerialiser(): (value: object) => string {
  const texts = new WeakMap<object, string>()
  const textOf = (value: unknown, depth: number): string | undefined => {
    if (!isTree(value)) return JSON.stringify(value)
    const known = texts.get(value)
    if (known !== undefined) return known
    const text = depth === 0 ? JSON.stringify(value) : branchOf(value, depth - 1)
    texts.set(value, text)
    return text
  }
  const branchOf = (value: object, depth: number): string => {
    if (Array.isArray(value)) return `[${value.map((item) => textOf(item, depth) ?? 'null').join(',')}]`
    const fields = Object.entries(value).flatMap(([name, field]) => {
      const text = textOf(field, depth)
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
    })
    return `{${fields.join(',')}}`
  }
  return (value) => textOf(value, cachedDepth) ?? 'null'
}
