import { expect, test } from 'vitest'
import { vscodeCopilot, zed } from '../../../../../src/main/tools/targets/code-editors'
import { createEnvironment } from '../support/target-input'

test('VS Code uses our group among those with an endpoint, else the first', () => {
  const group = (name: string, id: string, vendor = 'customendpoint') => ({
    name,
    vendor,
    models: [{ id, url: `https://${id}.example.com/v1/chat/completions` }],
  })
  const buildModel = (settings: object[]) =>
    vscodeCopilot.readBack({ settings: settings.map((item) => ({ ...item })) }, createEnvironment('linux')).modelCode
  expect(buildModel([group('Local', 'a', 'ollama'), group('Work', 'b'), group('Platform Companion', 'c')])).toBe('c')
  expect(buildModel([group('Local', 'a', 'ollama'), group('Work', 'b')])).toBe('b')
  expect(buildModel([])).toBeUndefined()
})

test('Zed sends requests to the provider of the default model; a built-in provider has no address in the file', () => {
  const language_models = { openai_compatible: { Work: { api_url: 'https://a.example.com/v1' } } }
  const readBackSettings = (provider: string) =>
    zed.readBack(
      { settings: { language_models, agent: { default_model: { provider, model: 'm1' } } } },
      createEnvironment('linux'),
    )
  expect(readBackSettings('Work')).toEqual({ base: 'https://a.example.com/v1', modelCode: 'm1' })
  expect(readBackSettings('zed.dev')).toEqual({})
})

test('Zed leaves a model of another provider to the user who chose it', () => {
  const isUserProvider = (provider: string) =>
    zed.files[0].isUsersOwn?.(['agent', 'default_model'], { provider, model: 'm1' })
  expect(isUserProvider('zed.dev')).toBe(true)
  expect(isUserProvider('platform-companion')).toBe(false)
})
