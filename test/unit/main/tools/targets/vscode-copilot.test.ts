import { expect, test } from 'vitest'
import { vscodeCopilot } from '../../../../../src/main/tools/targets/vscode-copilot'
import { createEnvironment } from '../support/target-input'

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
