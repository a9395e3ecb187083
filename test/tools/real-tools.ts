import type { Delivery } from '../../src/shared/contract'

/** A real coding tool: how to configure it, how to start it with one prompt, and the request that it must send. */
export interface RealTool {
  readonly id: string
  /** Command and arguments of the installed package. */
  readonly command: string
  /** Launcher of this app that replaces the tool's command, relative to the home. */
  readonly launcher?: string
  readonly oneShot: (prompt: string) => readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly delivery: Delivery
  /** Name of the shell variable with the key, for the delivery `env`. */
  readonly keyVariable?: string
  /** Path of the file with the key while the tool is configured. `@DATA@` is replaced by the app's data folder. */
  readonly keyFile?: string
  readonly requestLine: string
  /** Names of the request headers that contain the key. */
  readonly headers: readonly string[]
  /** The settings file that holds the address. */
  readonly addressFile: string
  /** Path of the pid file of the tool's background process. */
  readonly daemonRecord?: string
}

const messages = { requestLine: 'POST /v1/messages 200' }
const chat = { requestLine: 'POST /v1/chat/completions 200', headers: ['authorization'] }

/** Disables retries of Claude Code, which would hide a refused key for minutes, and update checks. */
export const realTools: readonly RealTool[] = [
  {
    id: 'claude-code',
    command: 'claude',
    oneShot: (prompt) => ['-p', prompt],
    env: { CLAUDE_CODE_MAX_RETRIES: '0', DISABLE_AUTOUPDATER: '1' },
    delivery: 'helper',
    ...messages,
    headers: ['authorization', 'x-api-key'],
    addressFile: '.claude/settings.json',
  },
  {
    id: 'opencode',
    command: 'opencode',
    oneShot: (prompt) => ['run', prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    delivery: 'file',
    keyFile: '@DATA@/key-files/opencode',
    ...chat,
    addressFile: '.config/opencode/opencode.json',
  },
  {
    id: 'kilo',
    command: 'kilo',
    oneShot: (prompt) => ['run', prompt],
    env: { KILO_DISABLE_AUTOUPDATE: '1' },
    delivery: 'file',
    keyFile: '@DATA@/key-files/kilo',
    ...chat,
    addressFile: '.config/kilo/kilo.jsonc',
  },
  {
    id: 'qwen-code',
    command: 'qwen',
    oneShot: (prompt) => ['-p', prompt],
    delivery: 'envFile',
    keyFile: '.qwen/.env',
    ...chat,
    addressFile: '.qwen/settings.json',
  },
  {
    id: 'continue',
    command: 'cn',
    oneShot: (prompt) => ['-p', prompt],
    delivery: 'envFile',
    keyFile: '.continue/.env',
    ...chat,
    addressFile: '.continue/config.yaml',
  },
  {
    id: 'cline',
    command: 'cline',
    oneShot: (prompt) => [prompt],
    delivery: 'plain',
    keyFile: '.cline/data/settings/providers.json',
    ...chat,
    addressFile: '.cline/data/settings/providers.json',
    daemonRecord: '.cline/data/locks/hub/production.json',
  },
  {
    id: 'pi',
    command: 'pi',
    oneShot: (prompt) => ['-p', prompt],
    delivery: 'helper',
    ...chat,
    addressFile: '.pi/agent/models.json',
  },
  {
    id: 'copilot-cli',
    command: 'copilot',
    launcher: '.local/bin/copilot-companion',
    oneShot: (prompt) => ['-p', prompt],
    env: { COPILOT_OFFLINE: 'true' },
    delivery: 'helper',
    ...chat,
    addressFile: '.local/bin/copilot-companion',
  },
  {
    id: 'droid',
    command: 'droid',
    oneShot: (prompt) => ['exec', prompt],
    delivery: 'env',
    keyVariable: 'PLATFORM_COMPANION_DROID_KEY',
    ...chat,
    addressFile: '.factory/settings.json',
  },
  {
    id: 'nanocoder',
    command: 'nanocoder',
    oneShot: (prompt) => ['run', prompt],
    env: { NANOCODER_TRUST_DIRECTORY: '1' },
    delivery: 'env',
    keyVariable: 'PLATFORM_COMPANION_NANOCODER_KEY',
    ...chat,
    addressFile: '.config/nanocoder/agents.config.json',
  },
]

/** Codex uses the Responses protocol with the relay, which sends chat-completions to the gateway. */
export const codex: RealTool = {
  id: 'codex',
  command: 'codex',
  oneShot: (prompt) => ['exec', '--skip-git-repo-check', prompt],
  delivery: 'helper',
  requestLine: 'POST /v1/chat/completions 200',
  headers: ['authorization'],
  addressFile: '.codex/config.toml',
}

export function realTool(id: string): RealTool {
  const tool = realTools.find((item) => item.id === id)
  if (tool === undefined) throw new Error(`There is no tool ${id} here.`)
  return tool
}
