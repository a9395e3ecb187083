import { Secret } from '../secret'
import { Content } from './content'
import type { OpenEdit } from './owned'
import type { Edit } from './target'

/** The edits with their secrets laid open, for writing and comparing only. With `keyContent` the one place that does so. */
export function openEdits(edits: readonly Edit[]): OpenEdit[] {
  return edits.map((edit) => {
    if ('member' in edit) return edit
    return { ...edit, value: edit.value instanceof Secret ? edit.value.expose() : edit.value }
  })
}

/** What stands in a file that holds nothing but the key. */
export function keyContent(key: Secret): Content {
  return new Content(key.expose())
}
