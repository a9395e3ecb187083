import { joinPath, type ToolEnvironment } from '../environment'
import { localFolder, settingsFolder } from './os-folders'

const STORE_PACKAGE = 'Claude_pzs8sxrjxfjjc'

/** Where Claude Desktop keeps what belongs to a gateway, by its platform and by how it was installed. */
export function gatewayFolder(env: ToolEnvironment): string {
  if (env.vars.CLAUDE_USER_DATA_DIR) return env.vars.CLAUDE_USER_DATA_DIR
  if (env.platform !== 'win32') return joinPath(env, settingsFolder(env), 'Claude-3p')
  return joinPath(env, storeCache(env, 'Local') ?? localFolder(env), 'Claude-3p')
}

/** Where it keeps everything else; undefined where that is the same folder. */
export function claudeFolder(env: ToolEnvironment): string | undefined {
  if (env.vars.CLAUDE_USER_DATA_DIR) return undefined
  const store = env.platform === 'win32' ? storeCache(env, 'Roaming') : undefined
  return joinPath(env, store ?? settingsFolder(env), 'Claude')
}

/** What the packaged edition for Windows sees in the place of `%LOCALAPPDATA%` and `%APPDATA%`; undefined: not there. */
function storeCache(env: ToolEnvironment, kind: 'Local' | 'Roaming'): string | undefined {
  const folder = joinPath(env, localFolder(env), 'Packages', STORE_PACKAGE)
  return env.exists(folder) ? joinPath(env, folder, 'LocalCache', kind) : undefined
}

/** A file of its library of configurations. */
export function inLibrary(env: ToolEnvironment, name: string): string {
  return joinPath(env, gatewayFolder(env), 'configLibrary', name)
}

/** The program of ours that it runs for the key. */
export function helperPath(env: ToolEnvironment): string {
  return joinPath(env, gatewayFolder(env), `platform-companion-key${env.platform === 'win32' ? '.cmd' : ''}`)
}

/** An administrator's settings, in whose presence ours are not read; on macOS and Windows they are in no file. */
export function managedPath({ platform }: ToolEnvironment): string | undefined {
  return platform === 'linux' ? '/etc/claude-desktop/managed-settings.json' : undefined
}

/** What shows that it is installed. */
export function markers(env: ToolEnvironment): string[] {
  if (env.platform === 'darwin')
    return ['/Applications/Claude.app', joinPath(env, env.home, 'Applications', 'Claude.app')]
  if (env.platform !== 'win32') return ['/usr/bin/claude-desktop']
  return ['AnthropicClaude', joinPath(env, 'Packages', STORE_PACKAGE)].map((name) =>
    joinPath(env, localFolder(env), name),
  )
}
