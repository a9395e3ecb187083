import type { ToolView } from '@shared/contract'
import { targets } from '../../../../src/main/tools/targets'
import { buildAppliedSetup, tool } from './views'

/** Ids of the installed tools. A fixed list, so that support for a new tool does not change the tests. */
const installedToolIds = [
  'claude-code',
  'opencode',
  'kilo',
  'qwen-code',
  'continue',
  'cline',
  'pi',
  'copilot-cli',
  'droid',
  'nanocoder',
  'crush',
  'cursor',
]
const listedTargets = targets.filter(({ id }) => id !== 'claude-desktop')
const writtenTools = listedTargets.filter(({ kind }) => kind === 'written')
const guidedTargets = listedTargets.filter(({ kind }) => kind === 'guided')

const project = '/home/lan/code/client-a'

/** Fields of tools that differ from the default, by tool id. */
const toolOverrides: Readonly<Record<string, Partial<ToolView>>> = {
  'claude-code': {
    status: 'configured',
    applied: buildAppliedSetup(),
    version: '2.1.330',
    sites: ['user', 'project', 'wsl'],
    setups: [
      {
        site: { kind: 'project', folder: project },
        status: 'configured',
        drift: [],
        file: `${project}/.claude/settings.json`,
        files: [{ path: `${project}/.claude/settings.json`, exists: true }],
        applied: buildAppliedSetup({ modelCode: 'fast' }),
      },
    ],
  },
  opencode: {
    status: 'drifted',
    applied: buildAppliedSetup({ delivery: 'file' }),
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

/** Every coding tool, as on a computer with twelve of them installed. */
export const allTools = (): readonly ToolView[] => [
  ...writtenTools.map(({ id, name }, index) => {
    const isInstalled = installedToolIds.includes(id)
    const { triedVersion, ...rest } = tool({
      id,
      name,
      installed: isInstalled,
      status: 'absent',
      file: `/home/lan/.${id}/settings.json`,
      files: [{ path: `/home/lan/.${id}/settings.json`, exists: false }],
      ...(isInstalled ? { version: `1.${index}.0` } : { install: { command: `npm install -g ${id}` } }),
    })
    return { ...rest, ...(index < 10 && triedVersion !== undefined && { triedVersion }), ...toolOverrides[id] }
  }),
  ...guidedTargets.map(({ id, name }) =>
    tool({
      id,
      name,
      kind: 'guided',
      installed: installedToolIds.includes(id),
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
