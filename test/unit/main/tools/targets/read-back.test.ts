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

function readBackSettings(target: WrittenTarget, delivery: TargetInput['delivery']) {
  const input = buildInput(target, { delivery, modelCode, keyFile: '/data/key' })
  const files = target.files.map(({ id, format, edits }): [string, Json] => {
    const editor = editors[format]
    const parsedDocument = editor.parse(editor.edit('', exposeEdits(edits(input, {}, environment))))
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

const otherUrl = 'https://a.example.com/v1'
const buildGroup = (name: string, id: string, vendor = 'customendpoint') => ({
  name,
  vendor,
  models: [{ id, url: `https://${id}.example.com/v1/chat/completions` }],
})
const [ollamaGroup, workGroup] = [buildGroup('Local', 'a', 'ollama'), buildGroup('Work', 'b')]
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
const foundOne = { base: oneProvider.baseUrl, modelCode: 'a', credential: { kind: 'variable', name: 'ONE_KEY' } }
const foundTwo = { base: otherUrl, modelCode: 'd', credential: { kind: 'variable', name: 'TWO_KEY' } }
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
  [
    codex,
    {
      settings: { model_provider: 'p', model: 'm1', model_providers: { p: { base_url: otherUrl, env_key: 'P_KEY' } } },
    },
    { ...found, credential: { kind: 'variable', name: 'P_KEY' } },
  ],
  // Our group among those with an endpoint is used, else the first.
  [
    vscodeCopilot,
    { settings: [ollamaGroup, workGroup, buildGroup('Platform Companion', 'c')] },
    { base: 'https://c.example.com/v1/chat/completions', modelCode: 'c' },
  ],
  [
    vscodeCopilot,
    { settings: [ollamaGroup, workGroup] },
    { base: 'https://b.example.com/v1/chat/completions', modelCode: 'b' },
  ],
  [vscodeCopilot, { settings: [] }, {}],
  // A built-in provider has no address in the file.
  [zed, zedSettings('Work'), found],
  [zed, zedSettings('zed.dev'), {}],
  [crush, crushSettings('$(op read key)'), { ...found, credential: { kind: 'helper', command: 'op read key' } }],
  [crush, crushSettings('$KEY_1'), { ...found, credential: { kind: 'variable', name: 'KEY_1' } }],
  [crush, crushSettings(`\${KEY_1}`), { ...found, credential: { kind: 'variable', name: 'KEY_1' } }],
  [crush, crushSettings('tok'), { ...found, credential: plainKey }],
  // Droid's selected model is found by its id, or by its code without one.
  [droid, droidSettings({ id: 'custom:Mine-1' }, 'custom:Mine-1'), found],
  [droid, droidSettings({}, 'custom:m1'), found],
  [droid, droidSettings({}, 'claude-opus-4-5'), {}],
  [
    droid,
    droidSettings({ apiKey: `\${KEY_1}` }, 'custom:m1'),
    { ...found, credential: { kind: 'variable', name: 'KEY_1' } },
  ],
  [droid, droidSettings({ apiKey: 'tok' }, 'custom:m1'), { ...found, credential: plainKey }],
  // nanocoder starts with the last used model, or else the first.
  [nanocoder, nanocoderSettings({}), foundOne],
  [nanocoder, nanocoderSettings({ lastProvider: 'two', providerModels: { Two: 'd' } }), foundTwo],
  [nanocoder, nanocoderSettings({ lastProvider: 'gone', providerModels: { One: 'not offered' } }), foundOne],
  [nanocoder, { settings: { nanocoder: {}, providers: [twoProvider] } }, { ...foundTwo, modelCode: 'c' }],
  // Another program has the name of ours.
  [copilotCli, { settings: { content: '#!/bin/sh\nexec copilot --banner "$@"\n' } }, {}],
  [
    claudeCode,
    { settings: { apiKeyHelper: 'cmd', env: { ANTHROPIC_AUTH_TOKEN: '' } } },
    { credential: { kind: 'helper', command: 'cmd' } },
  ],
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
      credential: { kind: 'helper', command: "'/home/an/my keys/key'" },
    },
  ],
  [claudeDesktop, desktopSettings('another'), {}],
]

test.each(rows.map(([target, settings, expected]) => ({ name: target.name, target, settings, expected })))(
  '$name with $settings is read as $expected',
  ({ target, settings, expected }) => {
    const foundSettings = target.readBack(settings, environment)
    expect({ ...foundSettings, credential: showCredential(foundSettings) }).toEqual(expected)
  },
)

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
])(
  'a model code that a tool sends to the Responses API causes a warning: $target.name, $modelCode: $isRefused',
  ({ target, modelCode, isRefused }) => {
    expect(listWarnings(target, modelCode)).toEqual(isRefused ? [['modelRefused', modelCode]] : [])
  },
)

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
