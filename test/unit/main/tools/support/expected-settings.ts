import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const getOwnProperty = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

export function assign(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Applies edits to parsed settings independently of the tested editor. Creates missing parents. */
export function applyEdits(settings: unknown, chosen: readonly OpenEdit[]): unknown {
  const root = isObject(settings) ? structuredClone(settings) : {}
  for (const edit of chosen) {
    const parent = getParent(root, edit)
    if (parent !== undefined) applyEdit(parent, edit.path.at(-1) ?? '', edit)
  }
  return root
}

function getParent(root: Record<string, unknown>, edit: OpenEdit): Record<string, unknown> | undefined {
  const isAddition = !('member' in edit) && edit.value !== undefined
  let node = root
  for (const name of edit.path.slice(0, -1)) {
    const nestedNode = getOwnProperty(node, name)
    if (!isAddition && !isObject(nestedNode)) return undefined
    const child = isObject(nestedNode) ? nestedNode : {}
    assign(node, name, child)
    node = child
  }
  return node
}

function applyEdit(parent: Record<string, unknown>, name: string, edit: OpenEdit): void {
  const list = getOwnProperty(parent, name)
  if ('member' in edit) {
    if (Array.isArray(list)) assign(parent, name, withMember(list, edit.member, edit.present))
    else if (list === null && edit.present) assign(parent, name, [edit.member])
  } else if ('element' in edit) {
    const items: unknown[] = Array.isArray(list) ? list : []
    const index = items.findIndex((item) =>
      Object.entries(edit.element).every(([key, text]) => getOwnProperty(item, key) === text),
    )
    const remainingItems = items.filter((_item, item) => item !== index)
    if (edit.value === undefined) {
      if (index >= 0) assign(parent, name, remainingItems)
    } else if (index >= 0) assign(parent, name, items.with(index, edit.value))
    else assign(parent, name, edit.isFirst === true ? [edit.value, ...items] : [...items, edit.value])
  } else if (edit.value === undefined) delete parent[name]
  else assign(parent, name, edit.value)
}

const withMember = (list: readonly unknown[], member: string, present: boolean): unknown[] => {
  if (!present) return list.filter((item) => item !== member)
  return list.includes(member) ? [...list] : [...list, member]
}
