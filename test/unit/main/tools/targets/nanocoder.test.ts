import { expect, test } from 'vitest'
import { nanocoder } from '../../../../../src/main/tools/targets/nanocoder'
import { environmentOn, inputFor, toPaths } from '../support/target-input'

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

const one = { name: 'One', baseUrl: 'https://one.example.com/v1', apiKey: '$ONE_KEY', models: ['a', 'b'] }
const two = { name: 'Two', baseUrl: 'https://two.example.com/v1', apiKey: `\${TWO_KEY:-none}`, models: ['c', 'd'] }
const readBack = (preferences: { [name: string]: string | { [name: string]: string } }, settings = {}) =>
  nanocoder.readBack(
    { settings: { nanocoder: { providers: [one, two] }, ...settings }, preferences },
    environmentOn('linux'),
  )

test('starts with the last used model, or else the first', () => {
  expect(readBack({})).toEqual({
    base: one.baseUrl,
    modelCode: 'a',
    credential: { kind: 'variable', name: 'ONE_KEY' },
  })
  expect(readBack({ lastProvider: 'two', providerModels: { Two: 'd' } })).toEqual({
    base: two.baseUrl,
    modelCode: 'd',
    credential: { kind: 'variable', name: 'TWO_KEY' },
  })
  expect(readBack({ lastProvider: 'gone', providerModels: { One: 'not offered' } }).modelCode).toBe('a')
  expect(readBack({}, { nanocoder: {}, providers: [two] }).base).toBe(two.baseUrl)
})

test('reports obstacles: a provider per mode, and an old list at the root', () => {
  const warningsFor = (settings: object) =>
    nanocoder
      .warnings?.({ settings: { ...settings } }, inputFor(nanocoder))
      ?.map(({ code, subject }) => [code, subject])
  expect(warningsFor({ nanocoder: { providers: [], modeProviders: {} }, providers: [one] })).toEqual([
    ['modelSetting', 'nanocoder.modeProviders'],
  ])
  expect(warningsFor({ providers: [one] })).toEqual([['overridesExisting', 'providers']])
  expect(warningsFor({})).toEqual([])
})
