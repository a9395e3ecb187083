import { expect, test } from 'vitest'
import type { Target } from '../../../../../src/main/tools/target'
import { claudeCode } from '../../../../../src/main/tools/targets/claude-code'
import { claudeDesktop } from '../../../../../src/main/tools/targets/claude-desktop'
import { vscodeCopilot, zed } from '../../../../../src/main/tools/targets/code-editors'
import { codex } from '../../../../../src/main/tools/targets/codex'
import { cherryStudio, cursor, jetBrains, roo } from '../../../../../src/main/tools/targets/guided'
import { openCode } from '../../../../../src/main/tools/targets/opencode'
import { crush, droid, goose, nanocoder } from '../../../../../src/main/tools/targets/provider-tools'
import { aichat, aider, copilotCli, junie, openHands } from '../../../../../src/main/tools/targets/simple-tools'
import { createEnvironment } from '../support/target-input'

type EnvironmentParts = Parameters<typeof createEnvironment>

/**
 * Expected paths: the files that the app writes, or those that show that a tool is installed. A single text is the only
 * path, or the folder of a tool in `namesInFolder`.
 */
type Row = readonly [Target, EnvironmentParts[0], EnvironmentParts[1], string | readonly string[]]

const WINDOWS = 'C:\\Users\\an'
const LOCAL_FOLDER = `${WINDOWS}\\AppData\\Local`
const ROAMING_FOLDER = `${WINDOWS}\\AppData\\Roaming`
const MAC_SETTINGS = '/Users/an/Library/Application Support'
const roamingEnv = { vars: { APPDATA: 'D:\\roaming' } }
const xdgEnv = { vars: { XDG_CONFIG_HOME: '/etc/an' } }
const project = { project: '/code/shop' }

const joinNames = (folder: string, ...names: readonly string[]): string[] =>
  names.map((name) => (folder.includes('\\') ? `${folder}\\${name.replaceAll('/', '\\')}` : `${folder}/${name}`))

/** Paths below the folder of a row, for tools whose file names never differ. */
const namesInFolder = new Map<Target, readonly string[]>([
  [aichat, ['.env', 'config.yaml']],
  [goose, ['custom_providers/platform-companion.json', 'config.yaml']],
  [junie, ['models/platform-companion.json']],
  [nanocoder, ['agents.config.json', 'nanocoder-preferences.json']],
  [openHands, ['agent_settings.json']],
  [vscodeCopilot, ['chatLanguageModels.json']],
  [
    roo,
    ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'].map(
      (editor) => `${editor}/User/globalStorage/rooveterinaryinc.roo-cline`,
    ),
  ],
])

const claudeDesktopPaths = (gateway: string, modeFolder: string, suffix = ''): string[] => [
  ...joinNames(gateway, `platform-companion-key${suffix}`, 'claude_desktop_config.json', 'configLibrary/_meta.json'),
  ...joinNames(gateway, 'configLibrary/5e0c7f1a-93d4-4b62-8a17-2f6d0b9c4e38.json'),
  ...joinNames(modeFolder, 'claude_desktop_config.json'),
]
const aiderFiles = ['.aider.model.metadata.json', '.aider.conf.yml']
const desktopPackage = `${LOCAL_FOLDER}\\Packages\\Claude_pzs8sxrjxfjjc`
const desktopCache = `${desktopPackage}\\LocalCache`
const packagedDesktopPaths = claudeDesktopPaths(
  `${desktopCache}\\Local\\Claude-3p`,
  `${desktopCache}\\Roaming\\Claude`,
  '.cmd',
)
const openCodeWithComments = '/home/an/.config/opencode/opencode.jsonc'
const aichatFileEnv = { AICHAT_CONFIG_FILE: '/opt/ai.yaml', AICHAT_ENV_FILE: '/opt/ai.env' }
const vscodeInsiders = '/home/an/.config/Code - Insiders/User'
const bothVscodes = { existingPaths: [vscodeInsiders, '/home/an/.config/Code/User'] }

const rows: readonly Row[] = [
  [claudeCode, 'linux', {}, '/home/an/.claude/settings.json'],
  [claudeCode, 'win32', {}, `${WINDOWS}\\.claude\\settings.json`],
  [claudeCode, 'linux', { vars: { CLAUDE_CONFIG_DIR: '/etc/claude' } }, '/etc/claude/settings.json'],
  [claudeCode, 'linux', { vars: { CLAUDE_CONFIG_DIR: '' } }, '/home/an/.claude/settings.json'],
  [claudeCode, 'linux', project, '/code/shop/.claude/settings.local.json'],

  [claudeDesktop, 'linux', {}, claudeDesktopPaths('/home/an/.config/Claude-3p', '/home/an/.config/Claude')],
  [claudeDesktop, 'darwin', {}, claudeDesktopPaths(`${MAC_SETTINGS}/Claude-3p`, `${MAC_SETTINGS}/Claude`)],
  [claudeDesktop, 'win32', {}, claudeDesktopPaths(`${LOCAL_FOLDER}\\Claude-3p`, `${ROAMING_FOLDER}\\Claude`, '.cmd')],
  [claudeDesktop, 'win32', { existingPaths: [desktopPackage] }, packagedDesktopPaths],
  // A configured common folder has only one file with the mode.
  [claudeDesktop, 'linux', { vars: { CLAUDE_USER_DATA_DIR: '/mine' } }, claudeDesktopPaths('/mine', '/').slice(0, -1)],

  [openCode, 'darwin', {}, '/Users/an/.config/opencode/opencode.json'],
  [openCode, 'linux', { existingPaths: [openCodeWithComments] }, openCodeWithComments],
  [openCode, 'linux', xdgEnv, '/etc/an/opencode/opencode.json'],
  [openCode, 'win32', {}, `${WINDOWS}\\.config\\opencode\\opencode.json`],
  [openCode, 'linux', project, '/code/shop/opencode.json'],

  [aider, 'linux', {}, joinNames('/home/an', '.aider/oauth-keys.env', ...aiderFiles)],
  [aider, 'win32', {}, joinNames(WINDOWS, '.aider/oauth-keys.env', ...aiderFiles)],
  [aider, 'linux', project, joinNames('/code/shop', '.env', ...aiderFiles)],

  [goose, 'linux', {}, '/home/an/.config/goose'],
  [goose, 'linux', xdgEnv, '/etc/an/goose'],
  [goose, 'linux', { vars: { XDG_CONFIG_HOME: 'relative' } }, '/home/an/.config/goose'],
  [goose, 'linux', { vars: { GOOSE_PATH_ROOT: '/opt/goose' } }, '/opt/goose/config'],
  [goose, 'linux', { vars: { GOOSE_PATH_ROOT: 'goose' } }, '/home/an/.config/goose'],
  [goose, 'win32', {}, `${ROAMING_FOLDER}\\Block\\goose\\config`],
  [goose, 'win32', roamingEnv, 'D:\\roaming\\Block\\goose\\config'],
  [goose, 'win32', { vars: { GOOSE_PATH_ROOT: 'D:\\goose' } }, 'D:\\goose\\config'],

  [aichat, 'linux', {}, '/home/an/.config/aichat'],
  [aichat, 'linux', xdgEnv, '/etc/an/aichat'],
  [aichat, 'linux', { vars: { ...xdgEnv.vars, AICHAT_CONFIG_DIR: '/opt/ai' } }, '/opt/ai'],
  [aichat, 'linux', { vars: aichatFileEnv }, ['/opt/ai.env', '/opt/ai.yaml']],
  [aichat, 'darwin', {}, `${MAC_SETTINGS}/aichat`],
  [aichat, 'darwin', xdgEnv, '/etc/an/aichat'],
  [aichat, 'win32', {}, `${ROAMING_FOLDER}\\aichat`],
  [aichat, 'win32', roamingEnv, 'D:\\roaming\\aichat'],

  [openHands, 'linux', {}, '/home/an/.openhands'],
  [openHands, 'win32', {}, `${WINDOWS}\\.openhands`],
  [openHands, 'linux', { vars: { OPENHANDS_PERSISTENCE_DIR: '/var/oh' } }, '/var/oh'],

  [junie, 'linux', {}, '/home/an/.junie'],
  [junie, 'win32', {}, `${WINDOWS}\\.junie`],
  [junie, 'linux', { vars: { JUNIE_HOME: '/opt/junie' } }, '/opt/junie'],
  [junie, 'linux', { vars: { JUNIE_HOME: '/opt/junie' }, ...project }, '/code/shop/.junie'],

  [codex, 'linux', {}, '/home/an/.codex/config.toml'],
  [codex, 'win32', {}, `${WINDOWS}\\.codex\\config.toml`],
  [codex, 'linux', { vars: { CODEX_HOME: '/opt/codex' } }, '/opt/codex/config.toml'],
  [codex, 'linux', { vars: { CODEX_HOME: 'codex' } }, '/home/an/.codex/config.toml'],

  [crush, 'linux', {}, '/home/an/.config/crush/crush.json'],
  [crush, 'win32', {}, `${WINDOWS}\\.config\\crush\\crush.json`],
  [crush, 'darwin', xdgEnv, '/etc/an/crush/crush.json'],
  [crush, 'linux', { vars: { CRUSH_GLOBAL_CONFIG: '/mine' } }, '/mine/crush.json'],
  [crush, 'linux', project, '/code/shop/crush.json'],
  [crush, 'linux', { ...project, existingPaths: ['/code/shop/.crush.json'] }, '/code/shop/.crush.json'],

  [droid, 'linux', {}, '/home/an/.factory/settings.json'],
  [droid, 'win32', {}, `${WINDOWS}\\.factory\\settings.json`],
  [droid, 'darwin', { vars: { FACTORY_HOME_OVERRIDE: '/opt/an' } }, '/opt/an/.factory/settings.json'],
  [droid, 'linux', project, '/code/shop/.factory/settings.local.json'],

  [nanocoder, 'linux', {}, '/home/an/.config/nanocoder'],
  [nanocoder, 'linux', xdgEnv, '/etc/an/nanocoder'],
  [nanocoder, 'darwin', {}, '/Users/an/Library/Preferences/nanocoder'],
  [nanocoder, 'win32', {}, `${ROAMING_FOLDER}\\nanocoder`],
  [nanocoder, 'darwin', { vars: { NANOCODER_CONFIG_DIR: '/mine' } }, '/mine'],

  [vscodeCopilot, 'linux', {}, '/home/an/.config/Code/User'],
  [vscodeCopilot, 'darwin', {}, `${MAC_SETTINGS}/Code/User`],
  [vscodeCopilot, 'win32', {}, `${ROAMING_FOLDER}\\Code\\User`],
  [vscodeCopilot, 'linux', { existingPaths: [vscodeInsiders] }, vscodeInsiders],
  [vscodeCopilot, 'linux', bothVscodes, '/home/an/.config/Code/User'],

  [zed, 'linux', {}, '/home/an/.config/zed/settings.json'],
  [zed, 'linux', xdgEnv, '/etc/an/zed/settings.json'],
  [zed, 'darwin', xdgEnv, '/Users/an/.config/zed/settings.json'],
  [zed, 'win32', {}, `${ROAMING_FOLDER}\\Zed\\settings.json`],

  [copilotCli, 'linux', {}, '/home/an/.local/bin/copilot-companion'],
  [copilotCli, 'darwin', {}, '/Users/an/.local/bin/copilot-companion'],
  [copilotCli, 'win32', {}, `${WINDOWS}\\AppData\\Local\\Microsoft\\WindowsApps\\copilot-companion.cmd`],

  [cursor, 'linux', {}, '/home/an/.config/Cursor'],
  [cursor, 'linux', xdgEnv, '/etc/an/Cursor'],
  [cursor, 'darwin', {}, ['/Applications/Cursor.app', `${MAC_SETTINGS}/Cursor`]],
  [cursor, 'win32', {}, `${ROAMING_FOLDER}\\Cursor`],

  [jetBrains, 'linux', {}, '/home/an/.config/JetBrains'],
  [jetBrains, 'darwin', {}, `${MAC_SETTINGS}/JetBrains`],
  [jetBrains, 'win32', roamingEnv, 'D:\\roaming\\JetBrains'],

  [roo, 'linux', {}, '/home/an/.config'],
  [roo, 'darwin', {}, MAC_SETTINGS],
  [roo, 'win32', {}, ROAMING_FOLDER],

  [cherryStudio, 'linux', {}, '/home/an/.config/CherryStudio'],
  [cherryStudio, 'darwin', {}, ['/Applications/Cherry Studio.app', `${MAC_SETTINGS}/CherryStudio`]],
  [cherryStudio, 'win32', {}, `${ROAMING_FOLDER}\\CherryStudio`],
]

const namedRows = rows.map(([target, platform, parts, place]) => {
  const names = namesInFolder.get(target)
  const paths = typeof place !== 'string' ? place : names ? joinNames(place, ...names) : [place]
  return { name: `${target.name} on ${platform}, ${JSON.stringify(parts)}`, target, platform, parts, paths }
})

test.each(namedRows)('$name is searched at the right path', ({ target, platform, parts, paths }) => {
  const environment = createEnvironment(platform, parts)
  const foundPaths =
    target.kind === 'written'
      ? target.files.flatMap(({ path }) => path(environment) ?? [])
      : (target.markers?.(environment) ?? [])
  expect(foundPaths.toSorted()).toEqual(paths.toSorted())
})
