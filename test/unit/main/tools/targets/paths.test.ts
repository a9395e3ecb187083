import { expect, test } from 'vitest'
import type { ToolEnvironment } from '../../../../../src/main/core/environment'
import type { Target } from '../../../../../src/main/tools/target'
import { aichat } from '../../../../../src/main/tools/targets/aichat'
import { aider } from '../../../../../src/main/tools/targets/aider'
import { codex } from '../../../../../src/main/tools/targets/codex'
import { goose } from '../../../../../src/main/tools/targets/goose'
import { cherryStudio, cursor, jetBrains, roo } from '../../../../../src/main/tools/targets/guided'
import { junie } from '../../../../../src/main/tools/targets/junie'
import { openHands } from '../../../../../src/main/tools/targets/openhands'

const homes = { linux: '/home/an', darwin: '/Users/an', win32: 'C:\\Users\\an' } as const
type Platform = keyof typeof homes
type Row = {
  readonly target: Target
  readonly on: Platform
  readonly vars?: Record<string, string>
  readonly project?: string
  /** Expected paths: the files that the app writes, or those that show that a tool is installed. */
  readonly paths: readonly string[]
}

const WINDOWS = 'C:\\Users\\an'
const ROAMING_FOLDER = `${WINDOWS}\\AppData\\Roaming`
const MAC_SETTINGS = '/Users/an/Library/Application Support'
const roamingEnv = { APPDATA: 'D:\\roaming' }
const xdgEnv = { XDG_CONFIG_HOME: '/etc/an' }

const listAiderPaths = (home: string, separator = '/'): string[] =>
  [`.aider${separator}oauth-keys.env`, '.aider.model.metadata.json', '.aider.conf.yml'].map(
    (name) => home + separator + name,
  )
const listAiderProjectPaths = (folder: string, separator = '/'): string[] =>
  ['.env', '.aider.model.metadata.json', '.aider.conf.yml'].map((name) => folder + separator + name)
const listGoosePaths = (folder: string, separator = '/'): string[] => [
  [folder, 'custom_providers', 'platform-companion.json'].join(separator),
  [folder, 'config.yaml'].join(separator),
]
const listAichatPaths = (folder: string, separator = '/'): string[] =>
  ['.env', 'config.yaml'].map((name) => folder + separator + name)
const getRooPaths = (folder: string, separator = '/'): string[] =>
  ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'].map((editor) =>
    [folder, editor, 'User', 'globalStorage', 'rooveterinaryinc.roo-cline'].join(separator),
  )

const rows: readonly Row[] = [
  { target: aider, on: 'linux', paths: listAiderPaths('/home/an') },
  { target: aider, on: 'darwin', paths: listAiderPaths('/Users/an') },
  { target: aider, on: 'win32', paths: listAiderPaths(WINDOWS, '\\') },
  { target: aider, on: 'linux', project: '/code/shop', paths: listAiderProjectPaths('/code/shop') },
  { target: aider, on: 'win32', project: 'D:\\shop', paths: listAiderProjectPaths('D:\\shop', '\\') },

  { target: goose, on: 'linux', paths: listGoosePaths('/home/an/.config/goose') },
  { target: goose, on: 'linux', vars: xdgEnv, paths: listGoosePaths('/etc/an/goose') },
  {
    target: goose,
    on: 'linux',
    vars: { XDG_CONFIG_HOME: 'relative' },
    paths: listGoosePaths('/home/an/.config/goose'),
  },
  { target: goose, on: 'linux', vars: { GOOSE_PATH_ROOT: '/opt/goose' }, paths: listGoosePaths('/opt/goose/config') },
  { target: goose, on: 'linux', vars: { GOOSE_PATH_ROOT: 'goose' }, paths: listGoosePaths('/home/an/.config/goose') },
  { target: goose, on: 'darwin', paths: listGoosePaths('/Users/an/.config/goose') },
  { target: goose, on: 'win32', paths: listGoosePaths(`${ROAMING_FOLDER}\\Block\\goose\\config`, '\\') },
  { target: goose, on: 'win32', vars: roamingEnv, paths: listGoosePaths('D:\\roaming\\Block\\goose\\config', '\\') },
  {
    target: goose,
    on: 'win32',
    vars: { GOOSE_PATH_ROOT: 'D:\\goose' },
    paths: listGoosePaths('D:\\goose\\config', '\\'),
  },

  { target: aichat, on: 'linux', paths: listAichatPaths('/home/an/.config/aichat') },
  { target: aichat, on: 'linux', vars: xdgEnv, paths: listAichatPaths('/etc/an/aichat') },
  { target: aichat, on: 'linux', vars: { ...xdgEnv, AICHAT_CONFIG_DIR: '/opt/ai' }, paths: listAichatPaths('/opt/ai') },
  {
    target: aichat,
    on: 'linux',
    vars: { AICHAT_CONFIG_FILE: '/opt/ai.yaml', AICHAT_ENV_FILE: '/opt/ai.env' },
    paths: ['/opt/ai.env', '/opt/ai.yaml'],
  },
  { target: aichat, on: 'darwin', paths: listAichatPaths(`${MAC_SETTINGS}/aichat`) },
  { target: aichat, on: 'darwin', vars: xdgEnv, paths: listAichatPaths('/etc/an/aichat') },
  { target: aichat, on: 'win32', paths: listAichatPaths(`${ROAMING_FOLDER}\\aichat`, '\\') },
  { target: aichat, on: 'win32', vars: roamingEnv, paths: listAichatPaths('D:\\roaming\\aichat', '\\') },

  { target: openHands, on: 'linux', paths: ['/home/an/.openhands/agent_settings.json'] },
  { target: openHands, on: 'darwin', paths: ['/Users/an/.openhands/agent_settings.json'] },
  { target: openHands, on: 'win32', paths: [`${WINDOWS}\\.openhands\\agent_settings.json`] },
  {
    target: openHands,
    on: 'linux',
    vars: { OPENHANDS_PERSISTENCE_DIR: '/var/oh' },
    paths: ['/var/oh/agent_settings.json'],
  },

  { target: junie, on: 'linux', paths: ['/home/an/.junie/models/platform-companion.json'] },
  { target: junie, on: 'darwin', paths: ['/Users/an/.junie/models/platform-companion.json'] },
  { target: junie, on: 'win32', paths: [`${WINDOWS}\\.junie\\models\\platform-companion.json`] },
  {
    target: junie,
    on: 'linux',
    vars: { JUNIE_HOME: '/opt/junie' },
    paths: ['/opt/junie/models/platform-companion.json'],
  },
  {
    target: junie,
    on: 'linux',
    vars: { JUNIE_HOME: '/opt/junie' },
    project: '/code/shop',
    paths: ['/code/shop/.junie/models/platform-companion.json'],
  },

  { target: cursor, on: 'linux', paths: ['/home/an/.config/Cursor'] },
  { target: cursor, on: 'linux', vars: xdgEnv, paths: ['/etc/an/Cursor'] },
  { target: cursor, on: 'darwin', paths: ['/Applications/Cursor.app', `${MAC_SETTINGS}/Cursor`] },
  { target: cursor, on: 'win32', paths: [`${ROAMING_FOLDER}\\Cursor`] },

  { target: jetBrains, on: 'linux', paths: ['/home/an/.config/JetBrains'] },
  { target: jetBrains, on: 'darwin', paths: [`${MAC_SETTINGS}/JetBrains`] },
  { target: jetBrains, on: 'win32', vars: roamingEnv, paths: ['D:\\roaming\\JetBrains'] },

  { target: roo, on: 'linux', paths: getRooPaths('/home/an/.config') },
  { target: roo, on: 'darwin', paths: getRooPaths(MAC_SETTINGS) },
  { target: roo, on: 'win32', paths: getRooPaths(ROAMING_FOLDER, '\\') },

  { target: cherryStudio, on: 'linux', paths: ['/home/an/.config/CherryStudio'] },
  { target: cherryStudio, on: 'darwin', paths: ['/Applications/Cherry Studio.app', `${MAC_SETTINGS}/CherryStudio`] },
  { target: cherryStudio, on: 'win32', paths: [`${ROAMING_FOLDER}\\CherryStudio`] },

  { target: codex, on: 'linux', paths: ['/home/an/.codex/config.toml'] },
  { target: codex, on: 'darwin', paths: ['/Users/an/.codex/config.toml'] },
  { target: codex, on: 'win32', paths: ['C:\\Users\\an\\.codex\\config.toml'] },
  { target: codex, on: 'linux', vars: { CODEX_HOME: '/opt/codex' }, paths: ['/opt/codex/config.toml'] },
  { target: codex, on: 'linux', vars: { CODEX_HOME: 'codex' }, paths: ['/home/an/.codex/config.toml'] },
]

function toEnvironment({ on, vars = {}, project }: Row): ToolEnvironment {
  return { home: homes[on], platform: on, vars, exists: () => false, ...(project === undefined ? {} : { project }) }
}

const namedRows = rows.map((row) => {
  const override = Object.entries(row.vars ?? {}).map(([name, value]) => `${name}=${value}`)
  const project = row.project === undefined ? [] : [`the project ${row.project}`]
  return { ...row, name: [`${row.target.name} on ${row.on}`, ...override, ...project].join(', ') }
})

test.each(namedRows)('$name is searched at the right path', (row) => {
  const environment = toEnvironment(row)
  const { target } = row
  const paths =
    target.kind === 'written'
      ? target.files.flatMap(({ path }) => path(environment) ?? [])
      : (target.markers?.(environment) ?? [])
  expect(paths).toEqual(row.paths)
})
