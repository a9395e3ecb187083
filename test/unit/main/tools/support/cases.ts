import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Delivery } from '@shared/contract/tools'
import type { Failure } from '@shared/failure'
import type { Target } from '../../../../../src/main/tools/target'
import { targets } from '../../../../../src/main/tools/targets'

const root = join(import.meta.dirname, '../../../../fixtures/tools')

/** One fixture: a tool's file before and after, or why it is refused. */
export type Case = {
  readonly name: string
  readonly target: Target
  readonly folder: string
  /** The name of the tool's file; OpenCode has two. */
  readonly extension: string
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
  readonly refused?: Partial<Failure>
  readonly choice: { readonly delivery?: Delivery; readonly moveCommentsToCopy?: boolean }
}

const optional = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined)

function readCase(target: Target, name: string): Case {
  const folder = join(root, target.id, name)
  const extension = readdirSync(folder).some((file) => file.endsWith('.jsonc')) ? 'jsonc' : 'json'
  const { refused, ...choice } = JSON.parse(optional(join(folder, 'case.json'))?.toString() ?? '{}')
  return {
    name: `${target.id}/${name}`,
    target,
    folder,
    extension,
    before: optional(join(folder, `before.${extension}`)),
    after: optional(join(folder, `after.${extension}`)),
    ...(refused ? { refused } : {}),
    choice,
  }
}

/** Every fixture of every tool. */
export const cases: readonly Case[] = targets.flatMap((target) =>
  readdirSync(join(root, target.id)).map((name) => readCase(target, name)),
)
