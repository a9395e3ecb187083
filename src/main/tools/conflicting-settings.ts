import { posix } from 'node:path'
import type { Delivery, ToolWarning } from '@shared/contract/tools'
import type { Disk } from './disk'
import { editors } from './editors'
import { type Json, valueAt } from './editors/json-value'
import type { ToolEnvironment } from './environment'
import { readSnapshot, textOf } from './files'
import type { LoginShell, Variables } from './login-shell'
import type { ConflictSource, WrittenTarget } from './target'

/** Where rivals are looked for. The login shell is only asked when a variable could be in the way. */
export type RivalPlace = {
  readonly environment: ToolEnvironment
  readonly loginShell: LoginShell
  readonly disk: Disk
}

type VariableRival = Extract<ConflictSource, { kind: 'variable' }>
type FileRival = Extract<ConflictSource, { kind: 'file' }>

/** What would win over a tool's settings: a variable of the shell also over the one in the tool's own file. */
export function listConflictSources(
  { rivals, variable }: Pick<WrittenTarget, 'rivals' | 'variable'>,
  delivery: Delivery,
): readonly ConflictSource[] {
  return delivery === 'envFile' ? [...rivals, { kind: 'variable', name: variable }] : rivals
}

/** What of them is there now: names and places, never a value. */
export async function findConflicts(rivals: readonly ConflictSource[], place: RivalPlace): Promise<ToolWarning[]> {
  const variables = rivals.filter((rival) => rival.kind === 'variable')
  const files = rivals.filter((rival) => rival.kind === 'file')
  const shell = variables.length === 0 ? {} : await place.loginShell(place.environment)
  const inFiles = await Promise.all(files.map((rival) => fileWarnings(rival, place)))
  return [...variables.flatMap((rival) => variableWarnings(rival, shell, place.environment)), ...inFiles.flat()]
}

/** A variable of the login shell is there in every new terminal, whether this process has it too or not. */
function variableWarnings({ name }: VariableRival, shell: Variables, environment: ToolEnvironment): ToolWarning[] {
  const isInShell = Boolean(shell[name])
  if (!isInShell && !environment.vars[name]) return []
  const warning = { code: 'shellVariable', subject: name, origin: isInShell ? 'loginShell' : 'app' } as const
  if (!isInShell && environment.platform !== 'win32') return [warning]
  return [{ ...warning, fix: 'copyLine', text: unsetLine(name, environment) }]
}

/** The line that takes a variable out of a terminal, in the language of the user's shell. */
function unsetLine(name: string, { platform, vars }: ToolEnvironment): string {
  if (platform === 'win32') return `Remove-Item Env:${name}`
  return posix.basename(vars.SHELL ?? '') === 'fish' ? `set -e ${name}` : `unset ${name}`
}

/** A file that cannot be read or is damaged wins over nothing; its tool says so itself. */
async function fileWarnings(rival: FileRival, { environment, disk }: RivalPlace): Promise<ToolWarning[]> {
  const path = rival.path(environment)
  if (path === undefined) return []
  const settings = await settingsIn(path, rival, disk).catch(() => undefined)
  return rival.settings
    .filter((setting) => valueAt(settings, setting) !== undefined)
    .map((setting) => ({
      code: 'rivalFile',
      origin: rival.origin,
      path,
      subject: setting.join('.'),
      fix: 'openFile',
    }))
}

async function settingsIn(path: string, { format }: FileRival, disk: Disk): Promise<Json | undefined> {
  const text = textOf(await readSnapshot(path, disk))
  const parsed = text === undefined ? undefined : editors[format].parse(text)
  return parsed?.ok ? parsed.value : undefined
}
