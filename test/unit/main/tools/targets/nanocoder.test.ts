import { expect, test } from 'vitest'
import { nanocoder } from '../../../../../src/main/tools/targets/nanocoder'
import { buildInput, createEnvironment } from '../support/target-input'

const firstProvider = { name: 'One', baseUrl: 'https://one.example.com/v1', apiKey: '$ONE_KEY', models: ['a', 'b'] }
const secondProvider = {
  name: 'Two',
  baseUrl: 'https://two.example.com/v1',
  apiKey: `\${TWO_KEY:-none}`,
  models: ['c', 'd'],
}
const readBackSettings = (preferences: { [name: string]: string | { [name: string]: string } }, settings = {}) =>
  nanocoder.readBack(
    { settings: { nanocoder: { providers: [firstProvider, secondProvider] }, ...settings }, preferences },
    createEnvironment('linux'),
  )

test('starts with the last used model, or else the first', () => {
  expect(readBackSettings({})).toEqual({
    base: firstProvider.baseUrl,
    modelCode: 'a',
    credential: { kind: 'variable', name: 'ONE_KEY' },
  })
  expect(readBackSettings({ lastProvider: 'two', providerModels: { Two: 'd' } })).toEqual({
    base: secondProvider.baseUrl,
    modelCode: 'd',
    credential: { kind: 'variable', name: 'TWO_KEY' },
  })
  expect(readBackSettings({ lastProvider: 'gone', providerModels: { One: 'not offered' } }).modelCode).toBe('a')
  expect(readBackSettings({}, { nanocoder: {}, providers: [secondProvider] }).base).toBe(secondProvider.baseUrl)
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
