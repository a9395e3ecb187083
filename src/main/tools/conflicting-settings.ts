import { posix } from 'node:path'
import type { Delivery, ToolWarning } from '@shared/contract/tools'
import type { Failure } from '@shared/failure'
import type { Disk } from './disk'
import { editors } from './editors'
import { type Json, valueAt } from './editors/editor'
import type { ToolEnvironment } from './environment'
import { decodeText, readSnapshot } from './files'
import type { LoginShell, Variables } from './login-shell'
import type { ConflictSource, SettingsByFile, WrittenTarget } from './target'

/** Where rivals are looked for. The login shell is only asked when a variable could be in the way. */
export type ConflictSearch = {
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
export async function findConflicts(rivals: readonly ConflictSource[], place: ConflictSearch): Promise<ToolWarning[]> {
  const variables = rivals.filter((rival) => rival.kind === 'variable')
  const shell = variables.length === 0 ? {} : await place.loginShell(place.environment)
  const inFiles = await fileConflicts(rivals, place)
  return [...variables.flatMap((rival) => variableWarnings(rival, shell, place.environment)), ...inFiles]
}

/** What in a tool's own files, and in those that go before them, keeps it from its plan: names and places, never a value. */
export async function findBlockers(
  { conflicts, rivals }: Pick<WrittenTarget, 'conflicts' | 'rivals'>,
  settings: SettingsByFile,
  place: Pick<ConflictSearch, 'environment' | 'disk'>,
): Promise<ToolWarning[]> {
  return [...(conflicts?.(settings) ?? []), ...(await fileConflicts(rivals, place))]
}

/** Why a tool does not go to its plan, with what to do about it. */
export function overriddenBy({ id, name }: Pick<WrittenTarget, 'id' | 'name'>, blocker: ToolWarning): Failure {
  const { code, subject, path, origin, fix } = blocker
  const setting = [subject, path && `of ${path}`].filter(Boolean).join(' ')
  const effect = code === 'toolStops' ? `${name} does not start with it` : `${name} follows it in place of its plan`
  const remedy =
    fix === 'takeOut'
      ? `Configure it again without it (companion configure ${id} --take-out ${subject}).`
      : origin === 'managed'
        ? 'Your organization manages that file: ask its administrator.'
        : 'Remove it there.'
  return { code: 'tool.overridden', message: `The setting ${setting} stands in the way: ${effect}. ${remedy}` }
}

async function fileConflicts(
  rivals: readonly ConflictSource[],
  place: Pick<ConflictSearch, 'environment' | 'disk'>,
): Promise<ToolWarning[]> {
  const files = rivals.filter((rival) => rival.kind === 'file')
  return (await Promise.all(files.map((rival) => fileWarnings(rival, place)))).flat()
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
async function fileWarnings(
  rival: FileRival,
  { environment, disk }: Pick<ConflictSearch, 'environment' | 'disk'>,
): Promise<ToolWarning[]> {
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
  const text = decodeText(await readSnapshot(path, disk))
  const parsed = text === undefined ? undefined : editors[format].parse(text)
  return parsed?.ok ? parsed.value : undefined
}
