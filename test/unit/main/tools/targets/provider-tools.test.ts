import { expect, test } from 'vitest'
import { zed } from '../../../../../src/main/tools/targets/code-editors'
import { crush, droid, nanocoder } from '../../../../../src/main/tools/targets/provider-tools'
import { copilotCli } from '../../../../../src/main/tools/targets/simple-tools'
import { buildInput, createEnvironment, getWrittenValue } from '../support/target-input'

test('Crush’s own state file and a crushrc file override the settings', () => {
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

const [droidSettings] = droid.files

test('Droid: keeps a default model of the user, and replaces one of ours', () => {
  const path = ['sessionDefaultSettings', 'model']
  expect(droidSettings.isUsersOwn?.(path, 'claude-opus-4-5')).toBe(true)
  expect(droidSettings.isUsersOwn?.(path, 'custom:platform-companion/gw-small')).toBe(false)
  expect(droidSettings.isUsersOwn?.(['customModels'], 'anything')).toBe(false)
})

test('Droid: warns that Droid replaces the variable by the key, and still recognizes its elements', () => {
  expect(droid.warnings?.({}, buildInput(droid))).toMatchObject([{ code: 'toolWritesKey' }])
  expect(droid.warnings?.({}, buildInput(droid, { delivery: 'plain' }))).toEqual([])
  const elements = droidSettings
    .edits(buildInput(droid), {}, createEnvironment('linux'))
    .filter((edit) => 'element' in edit)
  expect(elements).toMatchObject([{ isVolatile: true }, { isVolatile: true }])
})

test('nanocoder reports obstacles: a provider per mode, and an old list at the root', () => {
  const getWarnings = (settings: object) =>
    nanocoder
      .warnings?.({ settings: { ...settings } }, buildInput(nanocoder))
      ?.map(({ code, subject }) => [code, subject])
  expect(getWarnings({ nanocoder: { providers: [], modeProviders: {} }, providers: [{ name: 'One' }] })).toEqual([
    ['modelSetting', 'nanocoder.modeProviders'],
  ])
  expect(getWarnings({ providers: [{ name: 'One' }] })).toEqual([['overridesExisting', 'providers']])
  expect(getWarnings({})).toEqual([])
})

test('Zed leaves a model of another provider to the user who chose it', () => {
  const isUserProvider = (provider: string) =>
    zed.files[0].isUsersOwn?.(['agent', 'default_model'], { provider, model: 'm1' })
  expect(isUserProvider('zed.dev')).toBe(true)
  expect(isUserProvider('platform-companion')).toBe(false)
})

test('Copilot: nothing is written without a key delivery', () => {
  const input = buildInput(copilotCli, { helperCommand: undefined })
  expect(getWrittenValue(copilotCli, 'settings', input, 'content')).toBeUndefined()
})

test('Copilot: the shell commands contain the key command or a placeholder', () => {
  expect(copilotCli.shell?.(buildInput(copilotCli)).at(-1)).toEqual({
    name: 'COPILOT_PROVIDER_API_KEY_COMMAND',
    value: '/opt/companion key print',
  })
  expect(copilotCli.shell?.(buildInput(copilotCli, { delivery: 'env' })).at(-1)).toEqual({
    name: 'COPILOT_PROVIDER_API_KEY',
    value: undefined,
  })
})
