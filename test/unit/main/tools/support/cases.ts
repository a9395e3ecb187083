import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Delivery } from '@shared/contract/tools'
import type { Failure } from '@shared/failure'
import type { TargetFile, WrittenTarget } from '../../../../../src/main/tools/target'
import { writtenTargets } from '../../../../../src/main/tools/targets'
import type { ToolHarness } from './workshop'

const root = join(import.meta.dirname, '../../../../fixtures/tools')

/** A file of a fixture. `extension` distinguishes the formats of a tool that supports several. */
export type FixtureFile = { readonly id: string; readonly extension: string; readonly bytes: Buffer }

/** A fixture: a tool's files before and after the app writes them, or why the app must refuse. */
export type TargetCase = {
  readonly name: string
  readonly target: WrittenTarget
  readonly before: readonly FixtureFile[]
  readonly after: readonly FixtureFile[]
  readonly refused?: Partial<Failure>
  readonly choice: {
    readonly delivery?: Delivery
    readonly slots?: Readonly<Record<string, string>>
    readonly moveCommentsToCopy?: boolean
  }
  readonly isProject: boolean
  readonly platform: NodeJS.Platform
  readonly vars: Readonly<Record<string, string>>
}

function readTargetCase(target: WrittenTarget, name: string): TargetCase {
  const folder = join(root, target.id, name)
  const path = join(folder, 'case.json')
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}'
  const { refused, project = false, platform = 'linux', vars = {}, ...choice } = JSON.parse(text)
  return {
    name: `${target.id}/${name}`,
    target,
    before: listFiles(folder, 'before'),
    after: listFiles(folder, 'after'),
    ...(refused ? { refused } : {}),
    choice,
    isProject: project,
    platform,
    vars,
  }
}

/** Reads the `before` or `after` files of a fixture: `before.json`, or `before.env.txt` for the file with id `env`. */
function listFiles(folder: string, moment: 'before' | 'after'): FixtureFile[] {
  return readdirSync(folder).flatMap((name) => {
    const [first, ...rest] = name.split('.')
    if (first !== moment) return []
    const extension = extname(name)
    const id = rest.length > 1 ? rest.slice(0, -1).join('.') : 'settings'
    return [{ id, extension, bytes: readFileSync(join(folder, name)) }]
  })
}

/** Path of a fixture's file in a home. */
export function fixturePath(
  { target }: Pick<TargetCase, 'target'>,
  file: Omit<FixtureFile, 'bytes'>,
  harness: ToolHarness,
): string {
  const { environment } = harness.place
  const { path } = settingsFile(target, file.id)
  const currentPath = path(environment) ?? ''
  // A tool may accept several file names. Use the one with the fixture's extension.
  const existingPath = path({ ...environment, exists: () => true }) ?? ''
  return extname(currentPath) !== file.extension && extname(existingPath) === file.extension
    ? existingPath
    : currentPath
}

export function settingsFile({ id, files }: WrittenTarget, fileId: string): TargetFile {
  const file = files.find((item) => item.id === fileId)
  if (file) return file
  throw new Error(`${id} has no file ${fileId}`)
}

export const allCases: readonly TargetCase[] = writtenTargets.flatMap((target) =>
  readdirSync(join(root, target.id)).map((name) => readTargetCase(target, name)),
)
