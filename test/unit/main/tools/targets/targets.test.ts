import { expect, test } from 'vitest'
import type { ToolEnvironment } from '../../../../../src/main/tools/environment'
import { targets } from '../../../../../src/main/tools/targets'
import { claudeCode } from '../../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../../src/main/tools/targets/opencode'
import { request } from '../support/workshop'

const on = (platform: NodeJS.Platform, vars: Record<string, string> = {}, files: string[] = []): ToolEnvironment => ({
  home: platform === 'win32' ? 'C:\\Users\\me' : '/home/me',
  platform,
  vars,
  exists: (path) => files.includes(path),
})

test.each([
  [claudeCode, on('linux'), '/home/me/.claude/settings.json'],
  [claudeCode, on('win32'), 'C:\\Users\\me\\.claude\\settings.json'],
  [claudeCode, on('linux', { CLAUDE_CONFIG_DIR: '/etc/claude' }), '/etc/claude/settings.json'],
  [claudeCode, on('linux', { CLAUDE_CONFIG_DIR: '' }), '/home/me/.claude/settings.json'],
  [openCode, on('darwin'), '/home/me/.config/opencode/opencode.json'],
  [openCode, on('linux', {}, ['/home/me/.config/opencode/opencode.jsonc']), '/home/me/.config/opencode/opencode.jsonc'],
  [openCode, on('linux', { XDG_CONFIG_HOME: '/cfg' }), '/cfg/opencode/opencode.json'],
  [openCode, on('win32'), 'C:\\Users\\me\\.config\\opencode\\opencode.json'],
])('$id keeps its settings where the tool looks for them', (target, environment, file) => {
  expect(target.file(environment)).toBe(file)
})

test.each(targets.flatMap((target) => target.deliveries.map((delivery) => [target.id, delivery, target] as const)))(
  '%s with the key by %s: address and credential are set together, and nothing is owned twice',
  (_id, delivery, target) => {
    const edits = target.edits({ ...request, delivery, keyFile: '/data/key' }, {})
    for (const role of ['address', 'credential'] as const) {
      const [edit, ...more] = edits.filter((each) => each.role === role)
      expect(more).toEqual([])
      expect(edit && 'value' in edit && edit.value).toBeTruthy()
    }
    expect(new Set(edits.map(({ path }) => JSON.stringify(path))).size).toBe(edits.length)
  },
)

test('OpenCode gets the key file without backslashes, and never a path it would misread', () => {
  const edits = openCode.edits({ ...request, delivery: 'file', keyFile: 'C:\\Users\\me\\key' }, {})
  expect(edits).toContainEqual(expect.objectContaining({ role: 'credential', value: '{file:C:/Users/me/key}' }))
  for (const keyFile of ['/a}b', '/a"b', '/a\nb'])
    expect(() => openCode.edits({ ...request, delivery: 'file', keyFile }, {})).toThrow(/cannot be pointed/)
})

test('OpenCode limits a model’s output to half of a small window', () => {
  const edits = openCode.edits({ ...request, delivery: 'plain', contextTokens: 4000 }, {})
  expect(edits).toContainEqual(
    expect.objectContaining({ value: { name: 'gw-large', limit: { context: 4000, output: 2000 } } }),
  )
})

test.each([
  ['a helper', { apiKeyHelper: 'cmd', env: { ANTHROPIC_AUTH_TOKEN: '' } }, { kind: 'helper', command: 'cmd' }],
  [
    'a token before a helper',
    { apiKeyHelper: 'cmd', env: { ANTHROPIC_AUTH_TOKEN: 'tok' } },
    expect.objectContaining({ kind: 'plain' }),
  ],
  ['a key', { env: { ANTHROPIC_API_KEY: 'tok' } }, expect.objectContaining({ kind: 'plain' })],
  ['nothing', { env: [] }, undefined],
  ['a key no header can carry', { env: { ANTHROPIC_API_KEY: 'a b' } }, undefined],
])('Claude Code reads %s back', (_name, current, credential) => {
  expect(claudeCode.readBack(current).credential).toEqual(credential)
})

test.each([
  ['{file:/k}', { kind: 'file', path: '/k' }],
  ['tok', expect.objectContaining({ kind: 'plain' })],
  ['', undefined],
])('OpenCode reads %j back', (apiKey, credential) => {
  const provider = { 'platform-companion': { options: { baseURL: 'https://x/v1', apiKey } } }
  const current = { model: 'platform-companion/vendor/m', provider }
  expect(openCode.readBack(current)).toEqual({ base: 'https://x/v1', modelCode: 'vendor/m', credential })
  expect(openCode.readBack({ ...current, model: 'other/m' }).modelCode).toBeUndefined()
})

test('Claude Code warns of what sends it elsewhere', () => {
  const current = { model: 'opus', env: { CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: '0' } }
  const vars = { CLAUDE_CODE_USE_VERTEX: '1', CLAUDE_CODE_USE_FOUNDRY: 'true', ANTHROPIC_CUSTOM_HEADERS: 'x: y' }
  expect(claudeCode.warnings(current, on('linux', vars))).toEqual([
    { code: 'otherProviderSwitch', subject: 'env.CLAUDE_CODE_USE_BEDROCK' },
    { code: 'shellVariable', subject: 'CLAUDE_CODE_USE_FOUNDRY' },
    { code: 'shellVariable', subject: 'ANTHROPIC_CUSTOM_HEADERS' },
    { code: 'modelSetting', subject: 'model' },
  ])
  expect(claudeCode.warnings({}, on('linux'))).toEqual([])
})

test('OpenCode warns of the sources that win over its global file', () => {
  expect(openCode.warnings({}, on('linux', { OPENCODE_CONFIG: '/x.json' }))).toEqual([
    { code: 'shellVariable', subject: 'OPENCODE_CONFIG' },
  ])
})
