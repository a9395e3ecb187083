import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { ToolEnvironment } from '../../../../../src/main/core/environment'
import { findOwnConflicts } from '../../../../../src/main/tools/conflicting-settings'
import type { Json } from '../../../../../src/main/tools/editors/editor'
import { exposeEdits } from '../../../../../src/main/tools/owned-settings'
import type { Edit, TargetInput, WrittenTarget } from '../../../../../src/main/tools/target'
import { writtenTargets } from '../../../../../src/main/tools/targets'
import { claudeCode } from '../../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../../src/main/tools/targets/opencode'
import { request } from '../support/workshop'

const buildEnvironment = (
  platform: NodeJS.Platform,
  vars: Record<string, string> = {},
  files: string[] = [],
): ToolEnvironment => ({
  home: platform === 'win32' ? 'C:\\Users\\me' : '/home/me',
  platform,
  vars,
  exists: (path) => files.includes(path),
})

const project = { ...buildEnvironment('linux'), project: '/src/app' }

test.each([
  [claudeCode, buildEnvironment('linux'), '/home/me/.claude/settings.json'],
  [claudeCode, buildEnvironment('win32'), 'C:\\Users\\me\\.claude\\settings.json'],
  [claudeCode, buildEnvironment('linux', { CLAUDE_CONFIG_DIR: '/etc/claude' }), '/etc/claude/settings.json'],
  [claudeCode, buildEnvironment('linux', { CLAUDE_CONFIG_DIR: '' }), '/home/me/.claude/settings.json'],
  [claudeCode, project, '/src/app/.claude/settings.local.json'],
  [openCode, buildEnvironment('darwin'), '/home/me/.config/opencode/opencode.json'],
  [
    openCode,
    buildEnvironment('linux', {}, ['/home/me/.config/opencode/opencode.jsonc']),
    '/home/me/.config/opencode/opencode.jsonc',
  ],
  [openCode, buildEnvironment('linux', { XDG_CONFIG_HOME: '/cfg' }), '/cfg/opencode/opencode.json'],
  [openCode, buildEnvironment('win32'), 'C:\\Users\\me\\.config\\opencode\\opencode.json'],
  [openCode, project, '/src/app/opencode.json'],
])('$id stores its settings where the tool reads them', (target, environment, file) => {
  expect(target.files.at(-1)?.path(environment)).toBe(file)
})

const buildInput = (target: WrittenTarget, delivery: TargetInput['delivery']): TargetInput => ({
  ...request,
  slots: Object.fromEntries(target.slots.map(({ id }) => [id, 'gw-small'])),
  delivery,
  keyFile: '/data/key',
  helperArgv: ['/opt/companion/companion', 'key', 'print', '--plan', 'plan-1', '--key', 'key-1'],
  variable: target.variable,
})

const deliveryCases = writtenTargets.flatMap((target) => target.deliveries.map((delivery) => ({ target, delivery })))

test.each(deliveryCases.map((deliveryCase) => ({ ...deliveryCase, id: deliveryCase.target.id })))(
  '$id with the key by $delivery: every address has a credential, no setting has two owners, and the reported base is written',
  ({ target, delivery }) => {
    const files = target.files.map(({ edits }) => edits(buildInput(target, delivery), {}, buildEnvironment('linux')))
    const listEditsWithRole = (role: Edit['role']) =>
      files.flat().filter((edit) => edit.role === role && 'value' in edit)
    const isText = target.files.some(({ format }) => format === 'text')
    if (delivery !== 'inTool') expect(listEditsWithRole('credential').length).toBeGreaterThan(0)
    if (!isText) expect(listEditsWithRole('address').length + listEditsWithRole('credential').length).toBeGreaterThan(0)
    for (const edits of files) {
      const editPaths = edits.map((edit) => JSON.stringify([edit.path, 'element' in edit ? edit.element : '']))
      expect(new Set(editPaths).size).toBe(editPaths.length)
    }
    expect(JSON.stringify(files.map(exposeEdits))).toContain(target.base(request.gatewayUrl))
  },
)

test('OpenCode gets the key file with forward slashes, and no path that it would misread', () => {
  const edits = (keyFile: string) =>
    openCode.files[0].edits({ ...buildInput(openCode, 'file'), keyFile }, {}, buildEnvironment('linux'))
  expect(edits('C:\\Users\\me\\key')).toContainEqual(
    expect.objectContaining({ role: 'credential', value: '{file:C:/Users/me/key}' }),
  )
  for (const keyFile of ['/a}b', '/a"b', '/a\nb']) expect(() => edits(keyFile)).toThrow(/cannot be pointed/)
})

test('OpenCode limits a model’s output to half of a small context window', () => {
  const edits = openCode.files[0].edits(
    { ...buildInput(openCode, 'plain'), contextTokens: 4000 },
    {},
    buildEnvironment('linux'),
  )
  expect(edits).toContainEqual(
    expect.objectContaining({ value: { name: 'gw-large', limit: { context: 4000, output: 2000 } } }),
  )
})

test.each(writtenTargets.filter(({ id }) => id !== 'claude-desktop'))(
  '$id gets the known context size of each model',
  (target) => {
    const modelFacts = ['gw-small', ...request.models].map((modelCode) => ({
      modelCode,
      contextTokens: modelCode === request.modelCode ? 256_000 : 64_000,
    }))
    const write = (input: TargetInput) =>
      inspect(
        target.files.map(({ edits }) => edits(input, {}, buildEnvironment('linux'))),
        { depth: 20 },
      )
    const text = write({ ...buildInput(target, target.deliveries[0]), modelFacts })
    // Some tools get the size of the input, which is smaller by the output.
    expect(text).toMatch(/256000|247808/)
    expect(text).not.toMatch(/128000|119808/)
    expect(write({ ...buildInput(target, target.deliveries[0]), modelFacts, contextTokens: 32_000 })).not.toMatch(
      /256000|247808/,
    )
  },
)

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
])('Claude Code reads %s back', (_name, settings, credential) => {
  expect(claudeCode.readBack({ settings }, buildEnvironment('linux')).credential).toEqual(credential)
})

test.each([
  ['{file:/k}', { kind: 'file', path: '/k' }],
  ['{env:K}', { kind: 'variable', name: 'K' }],
  ['tok', expect.objectContaining({ kind: 'plain' })],
  ['', undefined],
])('OpenCode reads %j back', (apiKey, credential) => {
  const provider = { 'platform-companion': { options: { baseURL: 'https://x/v1', apiKey } } }
  const settings = { model: 'platform-companion/vendor/m', provider }
  const expectedSetup = { base: 'https://x/v1', modelCode: 'vendor/m', credential }
  expect(openCode.readBack({ settings }, buildEnvironment('linux'))).toEqual(expectedSetup)
  expect(
    openCode.readBack({ settings: { ...settings, model: 'other/m' } }, buildEnvironment('linux')).modelCode,
  ).toBeUndefined()
})

test('Claude Code warns of settings in its file that redirect it, and each can be removed', () => {
  const settings = { model: 'opus', env: { CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: '0' } }
  const expectedFix = { origin: 'settings', fix: 'takeOut' }
  const input = buildInput(claudeCode, 'helper')
  const conflicts = (toolSettings: Json) =>
    findOwnConflicts(claudeCode, { settings: toolSettings }, { models: ['large'] })
  expect(conflicts(settings)).toEqual([
    { code: 'otherProviderSwitch', subject: 'env.CLAUDE_CODE_USE_BEDROCK', ...expectedFix },
  ])
  expect(claudeCode.warnings?.({ settings }, input)).toEqual([
    { code: 'modelSetting', subject: 'model', ...expectedFix },
  ])
  expect([conflicts({}), claudeCode.warnings?.({ settings: {} }, input)]).toEqual([[], []])
})
