import { expect, test } from 'vitest'
import { claudeDesktop } from '../../../../../src/main/tools/targets/claude-desktop'
import { buildInput, createEnvironment, getWrittenValue, toPaths } from '../support/target-input'

const entry = '5e0c7f1a-93d4-4b62-8a17-2f6d0b9c4e38'
const packages = 'C:\\Users\\an\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc'

test.each([
  ['/home/an/.config/Claude-3p', '/home/an/.config/Claude', createEnvironment('linux')],
  [
    '/Users/an/Library/Application Support/Claude-3p',
    '/Users/an/Library/Application Support/Claude',
    createEnvironment('darwin'),
  ],
])('stores its files in %s and %s', (gateway, ownFolder, environment) => {
  expect(toPaths(claudeDesktop, environment)).toEqual({
    helper: `${gateway}/platform-companion-key`,
    mode: `${ownFolder}/claude_desktop_config.json`,
    'gateway-mode': `${gateway}/claude_desktop_config.json`,
    meta: `${gateway}/configLibrary/_meta.json`,
    settings: `${gateway}/configLibrary/${entry}.json`,
  })
})

test('uses the paths of its edition on Windows', () => {
  expect(toPaths(claudeDesktop, createEnvironment('win32'))).toMatchObject({
    helper: 'C:\\Users\\an\\AppData\\Local\\Claude-3p\\platform-companion-key.cmd',
    mode: 'C:\\Users\\an\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  })
  expect(toPaths(claudeDesktop, createEnvironment('win32', { existingPaths: [packages] }))).toMatchObject({
    helper: `${packages}\\LocalCache\\Local\\Claude-3p\\platform-companion-key.cmd`,
    mode: `${packages}\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`,
  })
})

test('has one file with the mode in a configured common folder', () => {
  const paths = toPaths(claudeDesktop, createEnvironment('linux', { vars: { CLAUDE_USER_DATA_DIR: '/mine' } }))
  expect(paths).toMatchObject({ mode: undefined, 'gateway-mode': '/mine/claude_desktop_config.json' })
})

test('names the program without arguments that runs the helper', () => {
  const input = buildInput(claudeDesktop)
  expect(getWrittenValue(claudeDesktop, 'helper', input, 'content')).toMatch(/\nexec \/opt\/companion key print\n$/)
  expect(getWrittenValue(claudeDesktop, 'settings', input, 'inferenceCredentialHelper')).toBe(
    '/home/an/.config/Claude-3p/platform-companion-key',
  )
  expect(
    getWrittenValue(claudeDesktop, 'helper', buildInput(claudeDesktop, { delivery: 'plain' }), 'content'),
  ).toBeUndefined()
})

test('lists the chosen models and the tool’s own kinds of models, each with a tier', () => {
  const models = ['gw-large', 'claude-opus-5', 'other']
  const input = buildInput(claudeDesktop, { models, slots: { small: 'claude-haiku-5' } })
  expect(getWrittenValue(claudeDesktop, 'settings', input, 'inferenceModels')).toEqual([
    { name: 'gw-large', labelOverride: 'gw-large', anthropicFamilyTier: 'sonnet' },
    { name: 'claude-haiku-5', labelOverride: undefined, anthropicFamilyTier: 'haiku' },
    { name: 'claude-opus-5', labelOverride: undefined, anthropicFamilyTier: 'opus' },
  ])
})

test('warns that a model with another name is rejected', () => {
  const getWarnings = (modelCode: string, smallModel: string) =>
    claudeDesktop.warnings?.({}, buildInput(claudeDesktop, { modelCode, slots: { small: smallModel } }))
  expect(getWarnings('claude-sonnet-5', 'claude-haiku-5')).toEqual([])
  expect(getWarnings('gw-large', 'gw-large')).toEqual([{ code: 'modelRefused', subject: 'gw-large' }])
})
