import { expect, test } from 'vitest'
import { crush } from '../../../../../src/main/tools/targets/crush'
import { buildInput, environmentOn, toPaths, valueWritten } from '../support/target-input'

test.each([
  ['/home/an/.config/crush/crush.json', environmentOn('linux')],
  ['C:\\Users\\an\\.config\\crush\\crush.json', environmentOn('win32')],
  ['/x/crush/crush.json', environmentOn('darwin', { vars: { XDG_CONFIG_HOME: '/x' } })],
  ['/mine/crush.json', environmentOn('linux', { vars: { CRUSH_GLOBAL_CONFIG: '/mine' } })],
  ['/code/crush.json', environmentOn('linux', { project: '/code' })],
  ['/code/.crush.json', environmentOn('linux', { project: '/code', there: ['/code/.crush.json'] })],
])('stores its settings at %s', (path, environment) => {
  expect(toPaths(crush, environment).settings).toBe(path)
})

test('Crush’s own state file and a crushrc file override them', () => {
  const paths = (environment = environmentOn('linux')) =>
    crush.precedence.sources.flatMap((source) => (source.kind === 'file' ? source.paths(environment) : []))
  expect(paths()).toEqual(['/home/an/.local/share/crush/crush.json', '/home/an/.config/crush/crushrc'])
  expect(paths(environmentOn('win32'))[0]).toBe('C:\\Users\\an\\AppData\\Local\\crush\\crush.json')
  expect(paths(environmentOn('linux', { project: '/code' }))).toEqual(['/code/crushrc'])
})

test('the helper is quoted for Crush’s own shell, which is the same on Windows', () => {
  const input = buildInput(crush, { helperArgv: ['C:\\My Apps\\companion.cmd', 'key', 'print'] })
  const path = 'providers.platform-companion.api_key'
  expect(valueWritten(crush, 'settings', input, path)).toBe("$('C:\\My Apps\\companion.cmd' key print)")
  const noHelper = { helperArgv: undefined, helperCommand: undefined }
  expect(valueWritten(crush, 'settings', buildInput(crush, noHelper), path)).toBeUndefined()
})

test.each([
  ['$(op read key)', { kind: 'helper', command: 'op read key' }],
  ['$KEY_1', { kind: 'variable', name: 'KEY_1' }],
  [`\${KEY_1}`, { kind: 'variable', name: 'KEY_1' }],
  ['sk-1', { kind: 'plain' }],
])('%s is read back', (api_key, credential) => {
  const providers = { work: { base_url: 'https://a.example.com/v1', api_key } }
  const settings = { providers, models: { large: { provider: 'work', model: 'm1' } } }
  const readBackValue = crush.readBack({ settings }, environmentOn('linux'))
  expect(readBackValue).toMatchObject({ base: 'https://a.example.com/v1', modelCode: 'm1', credential })
})
