import { expect, test } from 'vitest'
import { crush } from '../../../../../src/main/tools/targets/crush'
import { buildInput, createEnvironment, getWrittenValue } from '../support/target-input'

test('Crush’s own state file and a crushrc file override them', () => {
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
])('%s is read back', (api_key, credential) => {
  const providers = { work: { base_url: 'https://a.example.com/v1', api_key } }
  const settings = { providers, models: { large: { provider: 'work', model: 'm1' } } }
  const foundSettings = crush.readBack({ settings }, createEnvironment('linux'))
  expect(foundSettings).toMatchObject({ base: 'https://a.example.com/v1', modelCode: 'm1', credential })
})
