import type { ToolView } from '@shared/contract'
import { applied, tool } from './views'

const written = [
  ['claude-code', 'Claude Code'],
  ['opencode', 'OpenCode'],
  ['kilo', 'Kilo CLI'],
  ['qwen-code', 'Qwen Code'],
  ['continue', 'Continue'],
  ['cline', 'Cline CLI'],
  ['pi', 'pi'],
  ['copilot-cli', 'GitHub Copilot CLI'],
  ['droid', 'Factory Droid'],
  ['nanocoder', 'nanocoder'],
  ['crush', 'Crush'],
  ['zed', 'Zed'],
  ['vscode-copilot', 'VS Code Copilot Chat'],
  ['aider', 'Aider'],
  ['goose', 'Goose'],
  ['aichat', 'aichat'],
  ['openhands', 'OpenHands'],
  ['junie', 'Junie'],
  ['codex', 'Codex CLI'],
] as const
const guided = [
  ['cursor', 'Cursor'],
  ['jetbrains', 'JetBrains AI Assistant'],
  ['roo', 'Roo Code'],
  ['cherry-studio', 'Cherry Studio'],
] as const

const project = '/home/lan/code/client-a'

/** Tools that differ from the default view, by id. */
const special: Readonly<Record<string, Partial<ToolView>>> = {
  'claude-code': {
    status: 'configured',
    applied: applied(),
    version: '2.1.330',
    sites: ['user', 'project', 'wsl'],
    setups: [
      {
        site: { kind: 'project', folder: project },
        status: 'configured',
        drift: [],
        file: `${project}/.claude/settings.json`,
        files: [{ path: `${project}/.claude/settings.json`, exists: true }],
        applied: applied({ modelCode: 'fast' }),
      },
    ],
  },
  opencode: {
    status: 'drifted',
    applied: applied({ delivery: 'file' }),
    drift: ['model'],
    deliveries: ['file', 'plain'],
  },
  kilo: { status: 'otherwise', found: { base: 'https://other.example.com/v1', modelCode: 'theirs' } },
  'qwen-code': { status: 'unreadable', problem: { code: 'file.unparsable', message: 'no', line: 3 } },
  cline: { deliveries: ['plain'] },
  'copilot-cli': { deliveries: ['helper', 'env'], slots: [] },
  codex: { deliveries: ['helper', 'env'], routes: ['relay'], slots: [] },
  zed: { deliveries: ['inTool', 'env'] },
}

const isInstalled = (at: number): boolean => at < 11

/** Every coding tool, as on a computer with eleven of them installed. */
export const allTools = (): readonly ToolView[] => [
  ...written.map(([id, name], at) => {
    const { triedVersion, ...rest } = tool({
      id,
      name,
      installed: isInstalled(at),
      status: 'absent',
      file: `/home/lan/.${id}/settings.json`,
      files: [{ path: `/home/lan/.${id}/settings.json`, exists: false }],
      ...(isInstalled(at) ? { version: `1.${at}.0` } : { install: { command: `npm install -g ${id}` } }),
    })
    return { ...rest, ...(at < 10 && triedVersion !== undefined && { triedVersion }), ...special[id] }
  }),
  ...guided.map(([id, name]) =>
    tool({
      id,
      name,
      kind: 'guided',
      installed: id === 'cursor',
      status: 'absent',
      deliveries: [],
      files: [],
      file: '',
    }),
  ),
  tool({
    id: 'claude-desktop',
    name: 'Claude Desktop',
    kind: 'unsupported',
    reason: 'platform',
    status: 'absent',
    deliveries: [],
  }),
]
