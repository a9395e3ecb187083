import type { BranchStep } from '@shared/contract/playground'
import type { Database } from '../../sqlite'

interface Node {
  readonly key: number
  readonly id: string
  readonly shown: number | undefined
  readonly isAnswer: boolean
}

/** The shown branch from the first message to the last. `first` is the first message that is shown; the newest where none is chosen. */
export function branchOf(db: Database, conversation: number, first: number | undefined): BranchStep[] {
  const children = childrenOf(db, conversation)
  const branch: BranchStep[] = []
  let siblings = children.get(0)
  let shown = first
  while (siblings !== undefined) {
    const node = siblings.find(({ key }) => key === shown) ?? siblings.at(-1)
    if (!node) break
    branch.push({
      id: node.id,
      role: node.isAnswer ? 'assistant' : 'user',
      siblings: siblings.map(({ id }) => id),
    })
    siblings = children.get(node.key)
    shown = node.shown
  }
  return branch
}

/** Messages by what they follow (0: nothing), the oldest first. */
function childrenOf(db: Database, conversation: number): ReadonlyMap<number, readonly Node[]> {
  const children = new Map<number, Node[]>()
  const rows = db.rows(
    'parent, key, id, shown, is_answer',
    `SELECT coalesce(parent, 0) AS parent, key, id, shown, run IS NOT NULL AS is_answer FROM messages
     WHERE conversation = ? ORDER BY key`,
    conversation,
  )
  for (const row of rows) {
    const node = { key: row.number(1), id: row.text(2), shown: row.maybe(3), isAnswer: row.number(4) === 1 }
    const siblings = children.get(row.number(0))
    if (siblings) siblings.push(node)
    else children.set(row.number(0), [node])
  }
  return children
}

/** A message and everything before it, as a table `line (key, parent)`. Takes the message's key. */
export const lineUp = `line (key, parent) AS (
  SELECT key, parent FROM messages WHERE key = ?
  UNION ALL SELECT messages.key, messages.parent FROM line JOIN messages ON messages.key = line.parent
)`

/** Makes the shown branch the one that goes through a message. */
export function show(db: Database, conversation: number, message: number): void {
  db.run(
    `WITH RECURSIVE ${lineUp} UPDATE messages SET shown = line.key FROM line
     WHERE messages.key = line.parent AND messages.shown IS NOT line.key`,
    message,
  )
  db.run(
    `WITH RECURSIVE ${lineUp} UPDATE conversations SET shown = (SELECT key FROM line WHERE parent IS NULL) WHERE key = ?`,
    ...[message, conversation],
  )
}

/** The newest message of those that follow on a message; itself when none does. */
export function newestEnd(db: Database, conversation: number, message: number): number {
  const newest = db.row(
    `WITH RECURSIVE below (key) AS (
       SELECT ? UNION ALL
       SELECT messages.key FROM below CROSS JOIN messages ON conversation = ? AND messages.parent = below.key
     ) SELECT max(key) FROM below`,
    ...[message, conversation],
  )
  return newest?.number(0) ?? message
}
