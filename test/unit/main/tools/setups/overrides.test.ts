import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolChoice, ToolWarning } from '@shared/contract'
import { expect, it } from 'vitest'
import { createToolsHarness } from '../support/tools-harness'

/** A tool of a user who has a plan, and functions for its setup. */
async function startTool(toolId: string) {
  const { tools, choice, apply, restore, home } = await createToolsHarness()
  return {
    home,
    preview: (changes: Partial<ToolChoice> = {}) => tools.preview(choice(toolId, changes)),
    previewRestore: () => tools.previewRestore({ toolId }),
    apply: (changes?: Partial<ToolChoice>) => apply(toolId, changes),
    restore: () => restore(toolId),
    findConflicts: async (workFolder?: string) =>
      (await tools.list(workFolder)).find(({ id }) => id === toolId)?.conflicts ?? [],
    writeUserFile: (file: string, text: string): string => {
      const path = join(home, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
  }
}

type Finding = Partial<ToolWarning>

/** The tool, a file relative to the home (the tool starts in the folder `work/sub`), its text, and the findings. */
type Override = [tool: string, file: string, text: string, ...finds: Finding[]]

const finding =
  (code: ToolWarning['code']) =>
  (subject: string, origin?: ToolWarning['origin'], fix?: ToolWarning['fix']): Finding => ({
    code,
    subject,
    ...(origin && { origin }),
    ...(fix && { fix }),
  })
const rival = finding('rivalFile')
const agentModel = finding('agentModel')
const elsewhere = finding('keySentElsewhere')
const credential = finding('foreignCredential')

const json = (value: unknown): string => JSON.stringify(value)
const env = (variables: Readonly<Record<string, string>>): string => json({ env: variables })
const terminalEnv = (variables: object) => ({ 'terminal.integrated.env.linux': variables })
const projectSettings = 'work/sub/.claude/settings.json'
const localSettings = 'work/sub/.claude/settings.local.json'
const otherUrl = 'https://other.example.com'
const otherBase = env({ ANTHROPIC_BASE_URL: otherUrl })
const nanocoder = (name: string): string => json({ nanocoder: { providers: [{ name, baseUrl: otherUrl }] } })
const agent = (model: string): string => `---\ndescription: reviews\nmodel: ${model}\n---\nYou review.\n`

/**
 * Settings in other files that may override the app's settings, with the expected findings. None are expected if the
 * app's settings win.
 */
const overrides: Override[] = [
  ['claude-code', projectSettings, otherBase, elsewhere('env.ANTHROPIC_BASE_URL', 'project', 'openFile')],
  [
    'claude-code',
    localSettings,
    env({ ANTHROPIC_BASE_URL: otherUrl, ANTHROPIC_AUTH_TOKEN: 'sk-other' }),
    ...['BASE_URL', 'AUTH_TOKEN'].map((name) => rival(`env.ANTHROPIC_${name}`)),
  ],
  [
    'claude-code',
    projectSettings,
    json({ env: { ANTHROPIC_BASE_URL: 'https://gw.example.com/', ANTHROPIC_MODEL: 'small' }, model: 'opus' }),
  ],
  // The tool does not search above its start folder.
  ['claude-code', 'work/.claude/settings.json', otherBase],
  ['claude-code', '.claude/agents/team/review.md', agent('claude-opus-4-5'), agentModel('model', 'user', 'openFile')],
  ['claude-code', 'work/sub/.claude/commands/test.md', agent('claude-opus-4-5'), agentModel('model', 'project')],
  ['claude-code', '.claude/skills/review/SKILL.md', agent('gpt-5'), agentModel('model', 'user')],
  ['qwen-code', '.qwen/agents/review.md', agent('openai:gpt-5'), agentModel('model', 'user')],
  ['qwen-code', 'work/sub/.qwen/agents/review.md', agent('openai:large')],
  ['qwen-code', 'work/sub/.qwen/agents/review.md', agent('fast')],
  ['droid', 'work/sub/.factory/droids/review.md', agent('claude-opus-4-5'), agentModel('model', 'project')],
  ['droid', '.factory/droids/review.md', agent('inherit')],
  [
    'pi',
    'work/sub/.pi/settings.json',
    json({ defaultProvider: 'anthropic', defaultModel: 'claude-opus' }),
    rival('defaultProvider', 'project'),
    rival('defaultModel', 'project'),
  ],
  [
    'nanocoder',
    'work/sub/agents.config.json',
    nanocoder('Platform Companion'),
    rival('nanocoder.providers', 'project'),
  ],
  ['nanocoder', 'work/sub/agents.config.json', nanocoder('Other')],
  ['claude-code', '.claude/agents/review.md', agent('haiku')],
  [
    'claude-code',
    projectSettings,
    env({ ANTHROPIC_CUSTOM_HEADERS: 'X-Team: a\nX-Api-Key: sk-other' }),
    credential('env.ANTHROPIC_CUSTOM_HEADERS'),
  ],
  ['claude-code', projectSettings, env({ ANTHROPIC_CUSTOM_HEADERS: 'X-Team: a' })],
  ['opencode', 'work/opencode.json', json({ model: 'anthropic/claude-sonnet-4-5' }), rival('model', 'project')],
  [
    'opencode',
    'work/.opencode/opencode.jsonc',
    '{ // ours\n "small_model": "platform-companion/small", "disabled_providers": ["platform-companion"] }',
    rival('disabled_providers'),
  ],
  [
    'opencode',
    '.opencode/opencode.json',
    json({ provider: { 'platform-companion': { options: { baseURL: `${otherUrl}/v1` } } } }),
    elsewhere('provider.platform-companion.options.baseURL', 'user'),
  ],
  ['opencode', '.config/opencode/agents/review.md', agent('anthropic/claude-opus'), agentModel('model', 'user')],
  ['opencode', 'work/.opencode/command/test.md', agent('openai/gpt-5'), agentModel('model', 'project')],
  [
    'kilo',
    'work/opencode.json',
    json({ model: 'proj/x', agent: { build: { model: 'a/b' } } }),
    rival('model'),
    agentModel('agent.build.model'),
  ],
  ['kilo', 'work/.kilocode/agents/review.md', agent('a/b'), agentModel('model')],
  ['kilo', 'work/.opencode/agent/review.md', agent('a/b')],
  ['codex', 'work/.codex/config.toml', 'model = "gpt-5"\nmodel_provider = "openai"\n', rival('model')],
  [
    'aider',
    'work/.aider.conf.yml',
    `model: openai/gpt-5\nopenai-api-base: ${otherUrl}/v1\n`,
    elsewhere('openai-api-base'),
    rival('model'),
  ],
  ['qwen-code', 'work/sub/.qwen/settings.json', json({ model: { name: 'gpt-5' } }), rival('model.name')],
  [
    'claude-code',
    '.claude/agents/review.md',
    '\uFEFF---\r\nname: review\r\ndescription: Use this agent when: "x" is done\r\nmodel: "gpt-5"\r\n---\r\nHi\r\n',
    agentModel('model'),
  ],
  ['aider', 'work/.aider.conf.yml', 'defaults: &all\n  model: openai/gpt-5\n<<: *all\n', rival('model')],
  ['codex', 'work/sub/.codex/config.toml', '"model" = \'gpt-5\'\nprofiles.a.model = "x"\n', rival('model')],
  ...['CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL', 'CLAUDE_CODE_AUTO_MODE_MODEL'].map(
    (name): Override => [
      'claude-code',
      localSettings,
      env({ [name]: 'claude-opus-4-5', CLAUDE_CODE_BG_CLASSIFIER_MODEL: 'small' }),
      agentModel(`env.${name}`, 'project'),
    ],
  ),
  ['claude-code', '.claude/remote-settings.json', otherBase, elsewhere('env.ANTHROPIC_BASE_URL', 'managed')],
  [
    'codex',
    '.codex/agents/reviewer.toml',
    'name = "reviewer"\nmodel = "gpt-5"\n',
    agentModel('model', 'user', 'openFile'),
  ],
  ['codex', 'work/.codex/agents/fast.toml', 'model = "small"\n'],
  ['codex', 'work/.codex/agents/fast.toml', 'model = "gpt-5-mini"\n', agentModel('model', 'project')],
  [
    'goose',
    'work/sub/.goose/recipes/review.yaml',
    'title: Review\nsettings:\n  goose_provider: openai\n  goose_model: gpt-5\n',
    agentModel('settings.goose_model', 'project'),
  ],
  ['goose', '.config/goose/recipes/review.yaml', 'title: Review\nsettings:\n  goose_model: large\n'],
  ['aichat', '.config/aichat/roles/coder.md', agent('openai:gpt-5'), agentModel('model', 'user')],
  ['aichat', '.config/aichat/roles/coder.md', agent('companion_aichat:small')],
  ['pi', 'work/sub/.pi/settings.json', json({ enabledModels: ['anthropic/*'] }), rival('enabledModels', 'project')],
  ['pi', 'work/sub/.pi/settings.json', json({ enabledModels: ['platform-companion/large', 'x/y'] })],
  ['nanocoder', 'work/sub/.nanocoder/agents/review.md', agent('gpt-5'), agentModel('model', 'project')],
  ['nanocoder', '.config/nanocoder/agents/review.md', agent('inherit')],
  [
    'crush',
    'work/crush.json',
    json({ models: { large: { provider: 'openai', model: 'gpt-5' } } }),
    rival('models.large', 'project'),
  ],
]

/** Files that set variables for terminals, which override settings or move them. */
const variableFiles: readonly Override[] = [
  [
    'claude-code',
    'work/sub/.envrc',
    'source_up\nexport CLAUDE_CODE_USE_BEDROCK=1\nexport CLAUDE_CODE_USE_VERTEX=0\n# export CLAUDE_CONFIG_DIR=/x\n',
    rival('CLAUDE_CODE_USE_BEDROCK', 'project', 'openFile'),
  ],
  [
    'claude-code',
    'work/.envrc',
    '  export CLAUDE_CONFIG_DIR="$PWD/.claude"\r\nexport ANTHROPIC_BASE_URL=https://other.example.com\r\n',
    rival('CLAUDE_CONFIG_DIR'),
  ],
  ['claude-code', 'work/.envrc', 'export CLAUDE_CONFIG_DIR="$HOME/.claude"\n'],
  ['codex', 'work/.envrc', "CODEX_HOME='/srv/codex'\n", rival('CODEX_HOME')],
  [
    'opencode',
    'work/mise.toml',
    '[env]\nOPENCODE_CONFIG = "{{config_root}}/other.json"\nXDG_CONFIG_HOME = "{{config_root}}/.config"\n',
    rival('OPENCODE_CONFIG'),
    rival('XDG_CONFIG_HOME'),
  ],
  [
    'opencode',
    'work/.vscode/settings.json',
    '{ // ours\n "terminal.integrated.env.linux": { "OPENCODE_CONFIG_CONTENT": "{}", "OPENCODE_CONFIG": null, }, }',
    rival('OPENCODE_CONFIG_CONTENT', 'project'),
  ],
  ...['Code/User', 'VSCodium/User', 'Cursor/User', 'Kiro/User', 'Code/User/profiles/-7a3'].map(
    (folder): Override => [
      'claude-code',
      `.config/${folder}/settings.json`,
      json(terminalEnv({ ANTHROPIC_CUSTOM_HEADERS: 'Authorization: Bearer sk-other' })),
      credential('ANTHROPIC_CUSTOM_HEADERS', 'user'),
    ],
  ),
  [
    'claude-code',
    'work/team.code-workspace',
    json({ folders: [], settings: terminalEnv({ CLAUDE_CODE_USE_VERTEX: '1' }) }),
    rival('CLAUDE_CODE_USE_VERTEX', 'project'),
  ],
  [
    'claude-code',
    'work/.envrc',
    'export CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL=inherit\nexport ANTHROPIC_UNIX_SOCKET=/tmp/s\n',
    rival('ANTHROPIC_UNIX_SOCKET'),
  ],
  ['qwen-code', '.config/environment.d/60-qwen.conf', 'QWEN_HOME=/srv/qwen\n', rival('QWEN_HOME', 'user')],
]

const allOverrides = [...overrides, ...variableFiles]

it.each<Override>(allOverrides)('%s: %s is detected correctly (%#)', async (tool, file, text, ...finds) => {
  const { home, apply, findConflicts, writeUserFile } = await startTool(tool)
  await apply()
  mkdirSync(join(home, 'work', '.git'), { recursive: true })
  mkdirSync(join(home, 'work', 'sub'), { recursive: true })
  const path = writeUserFile(file, text)
  const conflicts = await findConflicts(join(home, 'work', 'sub'))
  expect(conflicts).toEqual(finds.map((expectedConflict) => expect.objectContaining({ path, ...expectedConflict })))
  expect(JSON.stringify(conflicts)).not.toContain('sk-other')
})

/** Settings of the user in the same file as the app's settings, which must stay. */
const userSettingsCases = [
  {
    tool: 'opencode',
    file: '.config/opencode/opencode.json',
    text: json({
      model: 'anthropic/claude-sonnet-4-5',
      agent: { build: { model: 'anthropic/claude-x' }, 'my.agent': { model: 'a/b' } },
      mode: { build: { model: 'anthropic/claude-x' } },
      command: { test: { template: 'run tests', model: 'anthropic/claude-3-5' } },
    }),
    finds: [
      ['agentModel', 'agent.build.model', 'takeOut'],
      ['agentModel', 'agent.my.agent.model', 'openFile'],
      ['agentModel', 'mode.build.model', 'takeOut'],
      ['agentModel', 'command.test.model', 'takeOut'],
    ],
  },
  {
    tool: 'zed',
    file: '.config/zed/settings.json',
    text: json({
      agent: {
        inline_assistant_model: { provider: 'zed.dev', model: 'x' },
        subagent_model: { provider: 'a', model: 'y' },
      },
    }),
    finds: [
      ['agentModel', 'agent.inline_assistant_model', 'takeOut'],
      ['agentModel', 'agent.subagent_model', 'takeOut'],
    ],
  },
  {
    tool: 'zed',
    file: '.config/zed/settings.json',
    text: json({
      linux: { agent: { default_model: { provider: 'zed.dev', model: 'x' } } },
      profiles: { Demo: { agent: { default_model: { provider: 'platform-companion', model: 'small' } } } },
    }),
    finds: [['agentModel', 'linux.agent.default_model', 'takeOut']],
  },
  {
    tool: 'codex',
    file: '.codex/config.toml',
    text: 'review_model = "gpt-5"\n',
    finds: [['agentModel', 'review_model', 'takeOut']],
  },
  {
    tool: 'claude-code',
    file: '.claude/settings.json',
    text: json({
      env: {
        CLAUDE_CODE_SUBAGENT_MODEL: 'claude-sonnet-4-5',
        ANTHROPIC_SMALL_FAST_MODEL: 'glm-4.5-air',
        ANTHROPIC_CUSTOM_HEADERS: 'Authorization: Bearer sk-other',
        CLAUDE_CODE_USE_BEDROCK: '0',
        CLAUDE_CODE_USE_VERTEX: '1',
      },
    }),
    finds: [
      ['otherProviderSwitch', 'env.CLAUDE_CODE_USE_VERTEX', 'takeOut'],
      ['foreignCredential', 'env.ANTHROPIC_CUSTOM_HEADERS', 'takeOut'],
    ],
  },
] as const

it.each(userSettingsCases)('$tool: settings next to ours are found, and can be removed', async (item) => {
  const { preview, apply, findConflicts, writeUserFile } = await startTool(item.tool)
  writeUserFile(item.file, item.text)
  const applyWithRemoval = async (settingsToRemove: string[]) => {
    const { warnings } = await preview({ settingsToRemove })
    await apply({ settingsToRemove })
    const summarizeWarning = ({ code, subject, fix }: ToolWarning) => [code, subject, fix]
    return {
      previewed: warnings.map(summarizeWarning),
      found: (await findConflicts()).map(summarizeWarning),
    }
  }
  const warningsBefore = await applyWithRemoval([])
  expect(warningsBefore.found).toEqual(item.finds)
  expect(warningsBefore.previewed).toEqual(expect.arrayContaining([...item.finds]))
  const removableSettings = item.finds.flatMap(([, subject, fix]) => (fix === 'takeOut' ? [subject] : []))
  const { found, previewed } = await applyWithRemoval(removableSettings)
  expect(found).toEqual(item.finds.filter(([, , fix]) => fix !== 'takeOut'))
  expect(previewed).not.toEqual(expect.arrayContaining([expect.arrayContaining(['takeOut'])]))
})

it('Claude Code uses our models for sub-agents and small jobs, whatever the shell sets', async () => {
  const { preview } = await startTool('claude-code')
  const text = JSON.stringify((await preview({ slots: { small: 'small' } })).files).replaceAll('\\"', '"')
  expect(text).toContain('"ANTHROPIC_SMALL_FAST_MODEL": "small"')
  expect(text).toContain('"CLAUDE_CODE_SUBAGENT_MODEL": "large"')
})

it.each([
  [{ settingsToRemove: ['modle'] }, /no setting modle to remove/],
  [{ keep: ['env.ANTHROPIC_MODLE'] }, /does not write env.ANTHROPIC_MODLE/],
])('a misspelled name is refused (%j)', async (names, pattern) => {
  const { preview } = await startTool('claude-code')
  await expect(preview(names)).rejects.toThrow(pattern)
})

it('a model that the plan does not list is reported', async () => {
  const { preview } = await startTool('claude-code')
  const { warnings } = await preview({ modelCode: 'nope' })
  expect(warnings).toContainEqual({ code: 'modelNotInPlan', subject: 'nope' })
})

it('undo of Codex leaves no blank line above a table, even after another program added one', async () => {
  const { apply, restore, writeUserFile } = await startTool('codex')
  const file = writeUserFile('.codex/config.toml', '[tui]\nnotifications = true\n')
  await apply()
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n[mcp_servers.x]\ncommand = "x"\n`)
  await restore()
  expect(readFileSync(file, 'utf8')).toBe('[tui]\nnotifications = true\n\n[mcp_servers.x]\ncommand = "x"\n')
})

it('undo of Codex names the sessions started with the plan', async () => {
  const { apply, previewRestore, writeUserFile } = await startTool('codex')
  const writeSession = (id: string, provider: string) =>
    writeUserFile(
      `.codex/sessions/2026/11/28/rollout-2026-11-28T01-00-00-${id}.jsonl`,
      `{"type":"session_meta","payload":{"id":"${id}","model_provider":"${provider}"}}\n{}\n`,
    )
  const ownSessionId = '01a21fd2-20c8-7e72-b06c-cc980590dbbc'
  writeSession(ownSessionId, 'platform-companion')
  writeSession('01a21fd2-20c8-7e72-b06c-cc980590dbbd', 'openai')
  await apply()
  const { warnings } = await previewRestore()
  expect(warnings).toContainEqual({ code: 'sessionsNeedProvider', subject: ownSessionId })
})
