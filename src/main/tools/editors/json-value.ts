import type { Node } from 'jsonc-parser'

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A property of an object in a parsed text: its name, its value, and both together. */
export type Member = { readonly name: string; readonly value: Node; readonly whole: Node }

/** The properties of an object node, in the order of the text; nothing for any other node. */
export function membersOf(node: Node | undefined): Member[] {
  if (node?.type !== 'object') return []
  return (node.children ?? []).flatMap((whole) => asMember(whole) ?? [])
}

/** The elements of an array node; nothing for any other node. */
export function elementsOf(node: Node | undefined): Node[] {
  return node?.type === 'array' ? (node.children ?? []) : []
}

/** The property of this name that parsers go by: the last one. */
export function memberOf(node: Node | undefined, name: string): Member | undefined {
  const whole =
    node?.type === 'object' ? node.children?.findLast(({ children }) => children?.[0]?.value === name) : undefined
  return whole && asMember(whole)
}

function asMember(whole: Node): Member | undefined {
  const [key, value] = whole.children ?? []
  return key === undefined || value === undefined ? undefined : { name: String(key.value), value, whole }
}

/** The node at a path of property names. */
export function nodeAt(root: Node | undefined, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, name) => memberOf(node, name)?.value, root)
}

/** The value of a node; a property called `__proto__` is a property like any other. */
export function toJson(node: Node): Json {
  switch (node.type) {
    case 'object':
      return Object.fromEntries(membersOf(node).map(({ name, value }) => [name, toJson(value)]))
    case 'array':
      return elementsOf(node).map(toJson)
    default:
      return node.value
  }
}

/** The value at a path of property names, or undefined. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, name) => {
    if (!isJsonObject(at)) return undefined
    return Object.hasOwn(at, name) ? at[name] : undefined
  }, value)
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One text per value, whatever the order of its properties. */
export function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`)
  return `{${members.sort().join(',')}}`
}

/** True when both are the same value, whatever the order of properties. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return canonicalText(a) === canonicalText(b)
}
