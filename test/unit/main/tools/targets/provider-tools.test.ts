import { expect, test } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { crush, droid, nanocoder } from '../../../../../src/main/tools/targets/provider-tools'
import { buildInput, createEnvironment, getWrittenValue } from '../support/target-input'

test('Crush’s own state file and a crushrc file override the settings', () => {
  const paths = (environment = createEnvironment('linux')) =>
    crush.overriddenBy.flatMap((source) => (source.kind === 'file' ? source.paths(environment) : []))
  expect(paths()).toEqual(['/home/an/.local/share/crush/crush.json', '/home/an/.config/crush/crushrc'])
  expect(paths(createEnvironment('win32'))[0]).toBe('C:\\Users\\an\\AppData\\Local\\crush\\crush.json')
  expect(paths(createEnvironment('linux', { project: '/code' }))).toEqual(['/code/crushrc'])
})

test('the helper is quoted for Crush’s own shell, which is the same on Windows', () => {
  const input = buildInput(crush, { helperArgv: ['C:\\My Apps\\companion.cmd', 'key', 'print'] })
  const path = 'providers.platform-companion.api_key'
  expect(getWrittenValue(crush, 'settings', input, path)).toBe("$('C:\\My Apps\\companion.cmd' key print)")
  const noHelper = { helperArgv: undefined, helperCommand: undefined }
  expect(getWrittenValue(crush, 'settings', buildInput(crush, noHelper), path)).toBeUndefined()
})

test.each([
  ['$(op read key)', { kind: 'helper', command: 'op read key' }],
  ['$KEY_1', { kind: 'variable', name: 'KEY_1' }],
  [`\${KEY_1}`, { kind: 'variable', name: 'KEY_1' }],
  ['sk-1', { kind: 'plain' }],
])('Crush: %s is read back', (api_key, credential) => {
  const providers = { work: { base_url: 'https://a.example.com/v1', api_key } }
  const settings = { providers, models: { large: { provider: 'work', model: 'm1' } } }
  const foundSettings = crush.readBack({ settings }, createEnvironment('linux'))
  expect(foundSettings).toMatchObject({ base: 'https://a.example.com/v1', modelCode: 'm1', credential })
})

const [droidSettings] = droid.files

const droidModel = { model: 'm1', displayName: 'Mine', baseUrl: 'https://a.example.com/v1' }
const readBackDroid = (modelFields: object, chosen: string) =>
  droid.readBack(
    {
      settings: {
        customModels: [{ model: 'other' }, { ...droidModel, ...modelFields }],
        sessionDefaultSettings: { model: chosen },
      },
    },
    createEnvironment('linux'),
  )

test('Droid: finds the selected model by its id, or by its code without one', () => {
  const foundSettings = { base: 'https://a.example.com/v1', modelCode: 'm1' }
  expect(readBackDroid({ id: 'custom:Mine-1' }, 'custom:Mine-1')).toMatchObject(foundSettings)
  expect(readBackDroid({}, 'custom:m1')).toMatchObject(foundSettings)
  expect(readBackDroid({}, 'claude-opus-4-5')).toEqual({})
})

test('Droid: reads a key as a variable or as plain text', () => {
  expect(readBackDroid({ apiKey: `\${KEY_1}` }, 'custom:m1').credential).toEqual({ kind: 'variable', name: 'KEY_1' })
  const literal = readBackDroid({ apiKey: 'sk-1' }, 'custom:m1').credential
  expect(literal?.kind === 'plain' && literal.text instanceof Secret && literal.text.expose()).toBe('sk-1')
})

test('Droid: keeps a default model of the user, and replaces one of ours', () => {
  const path = ['sessionDefaultSettings', 'model']
  expect(droidSettings.isUsersOwn?.(path, 'claude-opus-4-5')).toBe(true)
  expect(droidSettings.isUsersOwn?.(path, 'custom:platform-companion/gw-small')).toBe(false)
  expect(droidSettings.isUsersOwn?.(['customModels'], 'anything')).toBe(false)
})

test('Droid: warns that Droid replaces the variable by the key, and still recognizes its elements', () => {
  expect(droid.warnings?.({}, buildInput(droid))).toMatchObject([{ code: 'toolWritesKey' }])
  expect(droid.warnings?.({}, buildInput(droid, { delivery: 'plain' }))).toEqual([])
  const elements = droidSettings
    .edits(buildInput(droid), {}, createEnvironment('linux'))
    .filter((edit) => 'element' in edit)
  expect(elements).toMatchObject([{ isVolatile: true }, { isVolatile: true }])
})

const firstProvider = { name: 'One', baseUrl: 'https://one.example.com/v1', apiKey: '$ONE_KEY', models: ['a', 'b'] }
const secondProvider = {
  name: 'Two',
  baseUrl: 'https://two.example.com/v1',
  apiKey: `\${TWO_KEY:-none}`,
  models: ['c', 'd'],
}
const readBackNanocoder = (preferences: { [name: string]: string | { [name: string]: string } }, settings = {}) =>
  nanocoder.readBack(
    { settings: { nanocoder: { providers: [firstProvider, secondProvider] }, ...settings }, preferences },
    createEnvironment('linux'),
  )

test('nanocoder starts with the last used model, or else the first', () => {
  expect(readBackNanocoder({})).toEqual({
    base: firstProvider.baseUrl,
    modelCode: 'a',
    credential: { kind: 'variable', name: 'ONE_KEY' },
  })
  expect(readBackNanocoder({ lastProvider: 'two', providerModels: { Two: 'd' } })).toEqual({
    base: secondProvider.baseUrl,
    modelCode: 'd',
    credential: { kind: 'variable', name: 'TWO_KEY' },
  })
  expect(readBackNanocoder({ lastProvider: 'gone', providerModels: { One: 'not offered' } }).modelCode).toBe('a')
  expect(readBackNanocoder({}, { nanocoder: {}, providers: [secondProvider] }).base).toBe(secondProvider.baseUrl)
})

test('nanocoder reports obstacles: a provider per mode, and an old list at the root', () => {
  const getWarnings = (settings: object) =>
    nanocoder
      .warnings?.({ settings: { ...settings } }, buildInput(nanocoder))
      ?.map(({ code, subject }) => [code, subject])
  expect(getWarnings({ nanocoder: { providers: [], modeProviders: {} }, providers: [firstProvider] })).toEqual([
    ['modelSetting', 'nanocoder.modeProviders'],
  ])
  expect(getWarnings({ providers: [firstProvider] })).toEqual([['overridesExisting', 'providers']])
  expect(getWarnings({})).toEqual([])
})
