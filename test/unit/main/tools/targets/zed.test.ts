import { expect, test } from 'vitest'
import { zed } from '../../../../../src/main/tools/targets/zed'
import { createEnvironment } from '../support/target-input'

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
