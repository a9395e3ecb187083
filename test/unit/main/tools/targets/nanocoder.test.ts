import { expect, test } from 'vitest'
import { nanocoder } from '../../../../../src/main/tools/targets/nanocoder'
import { buildInput, environmentOn, toPaths } from '../support/target-input'

test.each([
  ['/home/an/.config/nanocoder/agents.config.json', environmentOn('linux')],
  ['/x/nanocoder/agents.config.json', environmentOn('linux', { vars: { XDG_CONFIG_HOME: '/x' } })],
  ['/Users/an/Library/Preferences/nanocoder/agents.config.json', environmentOn('darwin')],
  ['C:\\Users\\an\\AppData\\Roaming\\nanocoder\\agents.config.json', environmentOn('win32')],
  ['/mine/agents.config.json', environmentOn('darwin', { vars: { NANOCODER_CONFIG_DIR: '/mine' } })],
])('stores its settings at %s, with its preferences next to them', (path, environment) => {
  const { settings, preferences } = toPaths(nanocoder, environment)
  expect(settings).toBe(path)
  expect(preferences).toBe(path.replace('agents.config.json', 'nanocoder-preferences.json'))
})

const firstProvider = { name: 'One', baseUrl: 'https://one.example.com/v1', apiKey: '$ONE_KEY', models: ['a', 'b'] }
const secondProvider = {
  name: 'Two',
  baseUrl: 'https://two.example.com/v1',
  apiKey: `\${TWO_KEY:-none}`,
  models: ['c', 'd'],
}
const readBack = (preferences: { [name: string]: string | { [name: string]: string } }, settings = {}) =>
  nanocoder.readBack(
    { settings: { nanocoder: { providers: [firstProvider, secondProvider] }, ...settings }, preferences },
    environmentOn('linux'),
  )

test('starts with the last used model, or else the first', () => {
  expect(readBack({})).toEqual({
    base: firstProvider.baseUrl,
    modelCode: 'a',
    credential: { kind: 'variable', name: 'ONE_KEY' },
  })
  expect(readBack({ lastProvider: 'two', providerModels: { Two: 'd' } })).toEqual({
    base: secondProvider.baseUrl,
    modelCode: 'd',
    credential: { kind: 'variable', name: 'TWO_KEY' },
  })
  expect(readBack({ lastProvider: 'gone', providerModels: { One: 'not offered' } }).modelCode).toBe('a')
  expect(readBack({}, { nanocoder: {}, providers: [secondProvider] }).base).toBe(secondProvider.baseUrl)
})

test('reports obstacles: a provider per mode, and an old list at the root', () => {
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
