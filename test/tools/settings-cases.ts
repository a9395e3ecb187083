import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../support/app'

/** A user's existing settings files, which `write` creates in a home folder. */
export interface SettingsCase {
  readonly name: string
  readonly write: (home: string) => void
}

const toCrlf = (text: string): string => text.replaceAll('\n', '\r\n')

function file(path: string, text: string, mode = 0o644): (home: string) => void {
  return (home) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
    chmodSync(join(home, path), mode)
  }
}

/** A settings file linked into a dotfiles folder. */
function createLinkedFile(path: string, text: string): (home: string) => void {
  return (home) => {
    file('dotfiles/settings', text, 0o640)(home)
    mkdirSync(dirname(join(home, path)), { recursive: true })
    symlinkSync(join(home, 'dotfiles/settings'), join(home, path))
  }
}

const noSettingsCase: SettingsCase = { name: 'no settings at all', write: () => undefined }

/** A user's existing settings from the fixtures, with the path of each file. */
function createTypicalCase(toolId: string, places: Readonly<Record<string, string>>): SettingsCase {
  const folder = join(root, 'test/fixtures/tools', toolId, 'typical')
  return {
    name: 'the settings of an existing user',
    write: (home) => {
      for (const [name, path] of Object.entries(places))
        file(path, readFileSync(join(folder, name), 'utf8'), 0o600)(home)
    },
  }
}

const claudeFile = '.claude/settings.json'
const claudeSettings = `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)"],
    "deny": ["Read(./.env)"]
  },
  "enabledMcpjsonServers": ["memory"],
  "env": { "EDITOR": "vim", "ANTHROPIC_BASE_URL": "https://other.example.com", "ANTHROPIC_AUTH_TOKEN": "other-token" },
  "apiKeyHelper": "echo other-key",
  "includeCoAuthoredBy": false
}
`
const mcpServers = `{
  "mcpServers": { "memory": { "command": "/bin/false", "args": ["--token", "user-token"] } },
  "hasCompletedOnboarding": true
}
`

const openCodeJson = '.config/opencode/opencode.json'
const openCodeJsonc = '.config/opencode/opencode.jsonc'
const openCodeSettings = `{
  // chosen in March
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "other": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "https://other.example.com/v1", "apiKey": "{env:OTHER_KEY}" },
      "models": { "small": {}, }, /* only one */
    },
  },
  "mcp": { "memory": { "type": "local", "command": ["/bin/false"], "enabled": false } },
  "permission": { "bash": "ask", "edit": "allow" },
  "model": "other/small", // the default
}
`
const strictOpenCodeConfig =
  '{\n\t"$schema": "https://opencode.ai/config.json",\n\t"autoupdate": false,\n\t"mcp": {\n\t\t"a": { "type": "remote", "url": "https://a.example.com", "enabled": false }\n\t}\n}\n'

const droidFile = '.factory/settings.json'
const droidSettings = `{
  // ours at work
  "customModels": [
    { "model": "small-coder", "displayName": "Lab", "baseUrl": "https://lab.example.com/v1", "apiKey": "\${LAB_KEY}", "provider": "generic-chat-completion-api" }
  ],
  "sessionDefaultSettings": { "model": "custom:Lab-0", "autonomyMode": "normal" }
}
`
const nanocoderFile = '.config/nanocoder/agents.config.json'
const nanocoderSettings = `{
  "nanocoder": {
    "providers": [
      { "name": "Lab", "baseUrl": "https://lab.example.com/v1", "apiKey": "$LAB_KEY", "models": ["small-coder"] }
    ]
  }
}
`

/** Settings to test with each real tool, limited to those that it reads and does not rewrite. */
export const settingsCases: Readonly<Record<string, readonly SettingsCase[]>> = {
  'claude-code': [
    noSettingsCase,
    {
      name: 'permissions, MCP servers, and another gateway with its own helper',
      write: (home) =>
        [file(claudeFile, claudeSettings, 0o600), file('.claude.json', mcpServers)].map((writeFileAt) =>
          writeFileAt(home),
        ),
    },
    {
      name: 'CRLF and tabs',
      write: file(
        claudeFile,
        toCrlf('{\n\t"permissions": {\n\t\t"allow": []\n\t},\n\t"includeCoAuthoredBy": false\n}\n'),
      ),
    },
    {
      name: 'a byte order mark and no final newline',
      write: file(claudeFile, '\uFEFF{ "includeCoAuthoredBy": false }'),
    },
    { name: 'a symbolic link', write: createLinkedFile(claudeFile, claudeSettings) },
    { name: 'an empty object', write: file(claudeFile, '{}') },
  ],
  opencode: [
    noSettingsCase,
    {
      name: 'comments, trailing commas, another provider, MCP servers and permissions',
      write: file(openCodeJsonc, openCodeSettings, 0o600),
    },
    { name: 'CRLF and tabs', write: file(openCodeJson, toCrlf(strictOpenCodeConfig)) },
    { name: 'no final newline', write: file(openCodeJson, '{"autoupdate":false}') },
    { name: 'a symbolic link', write: createLinkedFile(openCodeJsonc, openCodeSettings) },
    {
      name: 'both opencode.json and opencode.jsonc',
      write: (home) =>
        [file(openCodeJson, strictOpenCodeConfig), file(openCodeJsonc, openCodeSettings)].map((writeFileAt) =>
          writeFileAt(home),
        ),
    },
  ],
  kilo: [noSettingsCase, createTypicalCase('kilo', { 'before.jsonc': '.config/kilo/kilo.jsonc' })],
  'qwen-code': [
    noSettingsCase,
    createTypicalCase('qwen-code', { 'before.jsonc': '.qwen/settings.json', 'before.env.env': '.qwen/.env' }),
  ],
  continue: [
    noSettingsCase,
    createTypicalCase('continue', {
      'before.yaml': '.continue/config.yaml',
      'before.env.env': '.continue/.env',
      'before.onboarding.txt': '.continue/.onboarding_complete',
    }),
  ],
  cline: [noSettingsCase, createTypicalCase('cline', { 'before.json': '.cline/data/settings/providers.json' })],
  pi: [
    noSettingsCase,
    createTypicalCase('pi', {
      'before.models.jsonc': '.pi/agent/models.json',
      'before.json': '.pi/agent/settings.json',
    }),
  ],
  'copilot-cli': [noSettingsCase],
  droid: [noSettingsCase, { name: 'another model of its own', write: file(droidFile, droidSettings, 0o600) }],
  nanocoder: [noSettingsCase, { name: 'another provider', write: file(nanocoderFile, nanocoderSettings, 0o600) }],
}

/** Claude Code renames this model and rewrites the file with its own indentation. */
export const claudeRewriteCase: SettingsCase = {
  name: 'a model name of old',
  write: file(claudeFile, '{\n\t"permissions": { "allow": ["Read(~/.zshrc)"] },\n\t"model": "opus"\n}\n'),
}

/** Paths of settings files that the user edits, without files that the tools use internally. */
export const settingsPaths = [
  claudeFile,
  openCodeJson,
  openCodeJsonc,
  '.config/opencode/config.json',
  'dotfiles',
  '.config/kilo/kilo.jsonc',
  '.qwen/settings.json',
  '.qwen/.env',
  '.continue/config.yaml',
  '.continue/.env',
  '.continue/.onboarding_complete',
  '.cline/data/settings/providers.json',
  '.pi/agent/models.json',
  '.pi/agent/settings.json',
  '.local/bin',
  droidFile,
  nanocoderFile,
]
