import { expect, test } from 'vitest'
import { zed } from '../../../../../src/main/tools/targets/zed'
import { createEnvironment, toPaths } from '../support/target-input'

test.each([
  ['/home/an/.config/zed/settings.json', createEnvironment('linux')],
  ['/x/zed/settings.json', createEnvironment('linux', { vars: { XDG_CONFIG_HOME: '/x' } })],
  ['/Users/an/.config/zed/settings.json', createEnvironment('darwin', { vars: { XDG_CONFIG_HOME: '/x' } })],
  ['C:\\Users\\an\\AppData\\Roaming\\Zed\\settings.json', createEnvironment('win32')],
])('stores its settings at %s', (path, environment) => {
  expect(toPaths(zed, environment).settings).toBe(path)
})

test('sends requests to the provider of the default model; a built-in provider has no address in the file', () => {
  const language_models = { openai_compatible: { Work: { api_url: 'https://a.example.com/v1' } } }
  const readBackSettings = (provider: string) =>
    zed.readBack(
      { settings: { language_models, agent: { default_model: { provider, model: 'm1' } } } },
      createEnvironment('linux'),
    )
  expect(readBackSettings('Work')).toEqual({ base: 'https://a.example.com/v1', modelCode: 'm1' })
  expect(readBackSettings('zed.dev')).toEqual({})
})

test('leaves a model of another provider to the user who chose it', () => {
  const isUserProvider = (provider: string) =>
    zed.files[0].isUsersOwn?.(['agent', 'default_model'], { provider, model: 'm1' })
  expect(isUserProvider('zed.dev')).toBe(true)
  expect(isUserProvider('platform-companion')).toBe(false)
})
