import { expect, test } from 'vitest'
import { vscodeCopilot } from '../../../../../src/main/tools/targets/vscode-copilot'
import { createEnvironment, toPaths } from '../support/target-input'

const preview = '/home/an/.config/Code - Insiders/User'

test.each([
  ['/home/an/.config/Code/User/chatLanguageModels.json', createEnvironment('linux')],
  ['/Users/an/Library/Application Support/Code/User/chatLanguageModels.json', createEnvironment('darwin')],
  ['C:\\Users\\an\\AppData\\Roaming\\Code\\User\\chatLanguageModels.json', createEnvironment('win32')],
  [`${preview}/chatLanguageModels.json`, createEnvironment('linux', { existingPaths: [preview] })],
  [
    '/home/an/.config/Code/User/chatLanguageModels.json',
    createEnvironment('linux', { existingPaths: [preview, '/home/an/.config/Code/User'] }),
  ],
])('stores its models at %s', (path, environment) => {
  expect(toPaths(vscodeCopilot, environment).settings).toBe(path)
})

test('uses our group among those with an endpoint, else the first', () => {
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
