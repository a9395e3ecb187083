import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { findOwnConflicts } from '../../../../../src/main/tools/conflicting-settings'
import { editors } from '../../../../../src/main/tools/editors'
import type { Json } from '../../../../../src/main/tools/editors/editor'
import { exposeEdits } from '../../../../../src/main/tools/owned-settings'
import type { FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../../../../../src/main/tools/target'
import { writtenTargets } from '../../../../../src/main/tools/targets'
import { claudeCode } from '../../../../../src/main/tools/targets/claude-code'
import { claudeDesktop } from '../../../../../src/main/tools/targets/claude-desktop'
import { vscodeCopilot, zed } from '../../../../../src/main/tools/targets/code-editors'
import { codex } from '../../../../../src/main/tools/targets/codex'
import { cherryStudio, cursor, jetBrains, roo } from '../../../../../src/main/tools/targets/guided'
import { openCode } from '../../../../../src/main/tools/targets/opencode'
import { crush, droid, goose, nanocoder } from '../../../../../src/main/tools/targets/provider-tools'
import { aichat, aider, copilotCli, junie, openHands } from '../../../../../src/main/tools/targets/simple-tools'
import { buildInput, createEnvironment } from '../support/target-input'

const environment = createEnvironment('linux')
const modelCode = 'vendor/gw-coder:free'
const key = 'sk-test-0123456789abcdefghij'

const showCredential = ({ credential }: FoundSettings): unknown =>
  credential?.kind === 'plain' ? { kind: 'plain', text: credential.text.expose() } : credential

function buildEdits(target: WrittenTarget, delivery: TargetInput['delivery']) {
  const input = buildInput(target, { delivery, modelCode, keyFile: '/data/key' })
  return target.files.map(({ id, format, edits }) => ({ id, format, edits: edits(input, {}, environment) }))
}

function readBackSettings(target: WrittenTarget, delivery: TargetInput['delivery']) {
  const files = buildEdits(target, delivery).map(({ id, format, edits }): [string, Json] => {
    const editor = editors[format]
    const parsedDocument = editor.parse(editor.edit('', exposeEdits(edits)))
    return [id, parsedDocument.ok ? parsedDocument.value : {}]
  })
  return target.readBack(Object.fromEntries(files), environment)
}

const deliveryRows = writtenTargets.flatMap((target) =>
  target.deliveries.map((delivery) => ({ name: target.name, target, delivery })),
)

test.each(deliveryRows)('$name with the key as $delivery is read back', ({ target, delivery }) => {
  const found = readBackSettings(target, delivery)
  expect([found.base, found.modelCode]).toEqual([target.base('https://plan.example.com'), modelCode])
  const command =
    target === claudeDesktop ? '/home/an/.config/Claude-3p/platform-companion-key' : '/opt/companion key print'
  // Some tools store the key themselves, and Zed also names the variable itself.
  const isUnknown = target === zed || target === vscodeCopilot
  const credentials = {
    plain: { kind: 'plain', text: key },
    envFile: { kind: 'plain', text: key },
    env: { kind: 'variable', name: target.variable },
    inTool: { kind: 'variable', name: target.variable },
    file: { kind: 'file', path: '/data/key' },
    helper: { kind: 'helper', command },
  }
  expect(showCredential(found)).toEqual(isUnknown ? undefined : credentials[delivery])
})

test.each(deliveryRows)('$name with the key as $delivery marks its credential and has no setting twice', (row) => {
  const files = buildEdits(row.target, row.delivery)
  const roles = files.flatMap(({ edits }) => edits.flatMap((edit) => ('value' in edit && edit.role) || []))
  if (row.delivery !== 'inTool') expect(roles).toContain('credential')
  if (files.every(({ format }) => format !== 'text')) expect(roles).not.toEqual([])
  for (const { edits } of files) {
    const paths = edits.map((edit) => JSON.stringify([edit.path, 'element' in edit ? edit.element : '']))
    expect(new Set(paths).size).toBe(paths.length)
  }
})

const otherUrl = 'https://a.example.com/v1'
const variable = (name: string) => ({ kind: 'variable', name })
const helper = (command: string) => ({ kind: 'helper', command })
const groupUrl = (id: string): string => `https://${id}.example.com/v1/chat/completions`
const buildGroup = (name: string, id: string, vendor = 'customendpoint') => ({
  name,
  vendor,
  models: [{ id, url: groupUrl(id) }],
})
const foundGroup = (id: string) => ({ base: groupUrl(id), modelCode: id })
const [ollamaGroup, workGroup] = [buildGroup('Local', 'a', 'ollama'), buildGroup('Work', 'b')]
const codexSettings = (p: Json): SettingsByFile => ({
  settings: { model_provider: 'p', model: 'm1', model_providers: { p } },
})
const zedSettings = (provider: string): SettingsByFile => ({
  settings: {
    language_models: { openai_compatible: { Work: { api_url: otherUrl } } },
    agent: { default_model: { provider, model: 'm1' } },
  },
})
const crushSettings = (api_key: string): SettingsByFile => ({
  settings: {
    providers: { work: { base_url: otherUrl, api_key } },
    models: { large: { provider: 'work', model: 'm1' } },
  },
})
const droidSettings = (fields: { readonly [name: string]: Json }, model: string): SettingsByFile => ({
  settings: {
    customModels: [{ model: 'other' }, { model: 'm1', displayName: 'Mine', baseUrl: otherUrl, ...fields }],
    sessionDefaultSettings: { model },
  },
})
const oneProvider = { name: 'One', baseUrl: 'https://one.example.com/v1', apiKey: '$ONE_KEY', models: ['a', 'b'] }
const twoProvider = { name: 'Two', baseUrl: otherUrl, apiKey: `\${TWO_KEY:-none}`, models: ['c', 'd'] }
const nanocoderSettings = (preferences: Json): SettingsByFile => ({
  settings: { nanocoder: { providers: [oneProvider, twoProvider] } },
  preferences,
})
const foundOne = { base: oneProvider.baseUrl, modelCode: 'a', credential: variable('ONE_KEY') }
const foundTwo = { base: otherUrl, modelCode: 'd', credential: variable('TWO_KEY') }
const openCodeSettings = (apiKey: string, model = 'platform-companion/vendor/m'): SettingsByFile => ({
  settings: { model, provider: { 'platform-companion': { options: { baseURL: otherUrl, apiKey } } } },
})
const desktopSettings = (appliedId: string): SettingsByFile => ({
  settings: {
    inferenceGatewayBaseUrl: 'https://plan.example.com',
    inferenceCredentialHelper: '/home/an/my keys/key',
    inferenceModels: [{ name: 'claude-sonnet-5' }],
  },
  meta: { appliedId },
})
const [found, plainKey] = [
  { base: otherUrl, modelCode: 'm1' },
  { kind: 'plain', text: 'tok' },
]

/** Settings that a user or another program wrote, with the values that the app reads from them. */
const rows: readonly (readonly [WrittenTarget, SettingsByFile, object])[] = [
  [codex, {}, {}],
  [codex, { settings: { model_provider: 'openai', model: 'gpt-5.5' } }, { modelCode: 'gpt-5.5' }],
  [codex, codexSettings({ base_url: otherUrl, env_key: 'P_KEY' }), { ...found, credential: variable('P_KEY') }],
  // Our group among those with an endpoint is used, else the first.
  [vscodeCopilot, { settings: [ollamaGroup, workGroup, buildGroup('Platform Companion', 'c')] }, foundGroup('c')],
  [vscodeCopilot, { settings: [ollamaGroup, workGroup] }, foundGroup('b')],
  [vscodeCopilot, { settings: [] }, {}],
  // A built-in provider has no address in the file.
  [zed, zedSettings('Work'), found],
  [zed, zedSettings('zed.dev'), {}],
  [crush, crushSettings('$(op read key)'), { ...found, credential: helper('op read key') }],
  [crush, crushSettings('$KEY_1'), { ...found, credential: variable('KEY_1') }],
  [crush, crushSettings(`\${KEY_1}`), { ...found, credential: variable('KEY_1') }],
  [crush, crushSettings('tok'), { ...found, credential: plainKey }],
  // Droid's selected model is found by its id, or by its code without one.
  [droid, droidSettings({ id: 'custom:Mine-1' }, 'custom:Mine-1'), found],
  [droid, droidSettings({}, 'custom:m1'), found],
  [droid, droidSettings({}, 'claude-opus-4-5'), {}],
  [droid, droidSettings({ apiKey: `\${KEY_1}` }, 'custom:m1'), { ...found, credential: variable('KEY_1') }],
  [droid, droidSettings({ apiKey: 'tok' }, 'custom:m1'), { ...found, credential: plainKey }],
  // nanocoder starts with the last used model, or else the first.
  [nanocoder, nanocoderSettings({}), foundOne],
  [nanocoder, nanocoderSettings({ lastProvider: 'two', providerModels: { Two: 'd' } }), foundTwo],
  [nanocoder, nanocoderSettings({ lastProvider: 'gone', providerModels: { One: 'not offered' } }), foundOne],
  [nanocoder, { settings: { nanocoder: {}, providers: [twoProvider] } }, { ...foundTwo, modelCode: 'c' }],
  // Another program has the name of ours.
  [copilotCli, { settings: { content: '#!/bin/sh\nexec copilot --banner "$@"\n' } }, {}],
  [claudeCode, { settings: { apiKeyHelper: 'cmd', env: { ANTHROPIC_AUTH_TOKEN: '' } } }, { credential: helper('cmd') }],
  [claudeCode, { settings: { apiKeyHelper: 'cmd', env: { ANTHROPIC_AUTH_TOKEN: 'tok' } } }, { credential: plainKey }],
  [claudeCode, { settings: { env: { ANTHROPIC_API_KEY: 'tok' } } }, { credential: plainKey }],
  [claudeCode, { settings: { env: [] } }, {}],
  // No header can carry this key.
  [claudeCode, { settings: { env: { ANTHROPIC_API_KEY: 'a b' } } }, {}],
  [openCode, openCodeSettings('tok'), { base: otherUrl, modelCode: 'vendor/m', credential: plainKey }],
  [openCode, openCodeSettings('', 'other/m'), { base: otherUrl }],
  // Claude Desktop uses the settings only while our configuration is selected.
  [
    claudeDesktop,
    desktopSettings('5e0c7f1a-93d4-4b62-8a17-2f6d0b9c4e38'),
    {
      base: 'https://plan.example.com',
      modelCode: 'claude-sonnet-5',
      credential: helper("'/home/an/my keys/key'"),
    },
  ],
  [claudeDesktop, desktopSettings('another'), {}],
]

test.each(rows)('$name with $1 is read as $2', (target, settings, expected) => {
  const foundSettings = target.readBack(settings, environment)
  expect({ ...foundSettings, credential: showCredential(foundSettings) }).toEqual(expected)
})

const plainTextTargets = [aider, goose, aichat, openHands, junie]

test.each(plainTextTargets)('$name is not recognized as ours when another program set it up', (target) => {
  const settings: Json = {
    model: 'sonnet',
    GOOSE_PROVIDER: 'anthropic',
    GOOSE_MODEL: 'sonnet',
    clients: [{ type: 'claude' }],
  }
  expect(target.readBack({ settings }, environment)).not.toHaveProperty('credential.kind', 'variable')
})

const listWarnings = (target: WrittenTarget, modelCode: string): unknown =>
  target.warnings?.({}, buildInput(target, { modelCode, slots: {} })).map(({ code, subject }) => [code, subject])

test.each([
  { target: goose, modelCode: 'gpt-5', isRefused: true },
  { target: goose, modelCode: 'vendor/gpt-5.1-codex', isRefused: true },
  { target: goose, modelCode: 'o3-mini', isRefused: true },
  { target: goose, modelCode: 'gpt-50', isRefused: false },
  { target: goose, modelCode: 'yolo3', isRefused: false },
  { target: openHands, modelCode: 'vendor/gpt-5-mini', isRefused: true },
  { target: openHands, modelCode: 'o3-mini', isRefused: false },
])('$target.name warns of $modelCode: $isRefused', ({ target, modelCode, isRefused }) => {
  expect(listWarnings(target, modelCode)).toEqual(isRefused ? [['modelRefused', modelCode]] : [])
})

test('an address in a variable that Aider overrides causes a warning, but other variables there stay', () => {
  const find = (value: Json) => findOwnConflicts(aider, { settings: { 'set-env': value } }, { models: [] })
  expect(find(['OPENAI_BASE_URL=https://old.example.org/v1', 'TERM=dumb'])).toEqual([
    { code: 'otherProviderSwitch', subject: 'set-env', origin: 'settings', fix: 'openFile' },
  ])
  expect(find('TERM=dumb')).toEqual([])
})

test('OpenHands without a condenser gets none', () => {
  const input = buildInput(openHands, { delivery: 'plain' })
  const paths = (current: Json): string[] =>
    openHands.files[0].edits(input, current, environment).map(({ path }) => path[0] ?? '')
  expect(paths({ condenser: null })).not.toContain('condenser')
  expect(paths({ condenser: { kind: 'NoOpCondenser' } })).not.toContain('condenser')
  expect(paths({})).toContain('condenser')
})

test.each([
  [cursor, 'https://plan.example.com/v1'],
  [jetBrains, 'https://plan.example.com/v1'],
  [roo, 'https://plan.example.com/v1'],
  [cherryStudio, 'https://plan.example.com'],
])('$name shows its own form of the address, the unchanged model, and to paste the key', (target, address) => {
  const fields = target.fields({ gatewayUrl: 'https://plan.example.com', modelCode: 'vendor/gw-coder:free' })
  const values = fields.map((field) => ('value' in field ? field.value : '[key]'))
  expect(values).toEqual(expect.arrayContaining([address, 'vendor/gw-coder:free', '[key]']))
  expect(target.requestAddress('https://plan.example.com')).toBe('https://plan.example.com/v1/chat/completions')
})

test('OpenCode gets the key file with forward slashes, and no path that it would misread', () => {
  const edits = (keyFile: string) =>
    openCode.files[0].edits(buildInput(openCode, { delivery: 'file', keyFile }), {}, environment)
  expect(edits('C:\\Users\\me\\key')).toContainEqual(
    expect.objectContaining({ role: 'credential', value: '{file:C:/Users/me/key}' }),
  )
  for (const keyFile of ['/a}b', '/a"b', '/a\nb']) expect(() => edits(keyFile)).toThrow(/cannot be pointed/)
})

test('OpenCode limits a model’s output to half of a small context window', () => {
  const input = buildInput(openCode, { delivery: 'plain', contextTokens: 4000 })
  const edits = openCode.files[0].edits(input, {}, environment)
  expect(edits).toContainEqual(
    expect.objectContaining({ value: { name: 'gw-large', limit: { context: 4000, output: 2000 } } }),
  )
})

const targetsWithContextSize = writtenTargets.filter((target) => target !== claudeDesktop)

test.each(targetsWithContextSize)('$id gets the known context size of each model', (target) => {
  const modelFacts = buildInput(target).models.map((modelCode) => ({
    modelCode,
    contextTokens: modelCode === 'gw-large' ? 256_000 : 64_000,
  }))
  const list = (input: TargetInput) => target.files.map(({ edits }) => edits(input, {}, environment))
  const write = (input: TargetInput) => inspect(list(input), { depth: 20 })
  const text = write(buildInput(target, { modelFacts }))
  // Some tools get the size of the input, which is smaller by the output.
  expect(text).toMatch(/256000|247808/)
  expect(text).not.toMatch(/128000|119808/)
  expect(write(buildInput(target, { modelFacts, contextTokens: 32_000 }))).not.toMatch(/256000|247808/)
})
