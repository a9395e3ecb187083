import type { Json } from './json-value'

/** A stretch of text: from `start` up to, not including, `end`. */
export type Span = { readonly start: number; readonly end: number }

/** A value in a parsed text. */
export type Node = ObjectNode | ListNode | LiteralNode
export type ObjectNode = Span & { readonly type: 'object'; readonly members: readonly Member[] }
export type ListNode = Span & { readonly type: 'list'; readonly items: readonly Node[] }
export type LiteralNode = Span & { readonly type: 'literal'; readonly value: null | boolean | number | string }

/** What holds entries. */
export type Container = ObjectNode | ListNode

/** A property of an object in a parsed text, from its name to the end of its value. */
export type Member = Span & { readonly name: string; readonly nameEnd: number; readonly value: Node }

/** The properties of an object, in the order of the text; nothing for any other node. */
export function membersOf(node: Node | undefined): readonly Member[] {
  return node?.type === 'object' ? node.members : []
}

/** The elements of a list; nothing for any other node. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'list' ? node.items : []
}

/** Properties or elements, as the stretches of text they are. */
export function entriesOf(container: Container): readonly (Member | Node)[] {
  return container.type === 'object' ? container.members : container.items
}

/** The property of this name that parsers go by: the last one. */
export function memberOf(node: Node | undefined, name: string): Member | undefined {
  return membersOf(node).findLast((member) => member.name === name)
}

/** The properties whose names are asked for, in the order of the text; one pass, however many names. */
export function membersNamed(node: Node | undefined, names: ReadonlyMap<string, unknown>): Map<string, Member[]> {
  const found = new Map<string, Member[]>()
  for (const member of membersOf(node)) {
    if (!names.has(member.name)) continue
    const same = found.get(member.name)
    if (same === undefined) found.set(member.name, [member])
    else same.push(member)
  }
  return found
}

/** The node at a path of property names. */
export function nodeAt(root: Node | undefined, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, name) => memberOf(node, name)?.value, root)
}

/** The value of a node; a property called `__proto__` is a property like any other. */
export function toJson(node: Node): Json {
  switch (node.type) {
    case 'object':
      return Object.fromEntries(node.members.map(({ name, value }) => [name, toJson(value)]))
    case 'list':
      return node.items.map(toJson)
    case 'literal':
      return node.value
  }
}
