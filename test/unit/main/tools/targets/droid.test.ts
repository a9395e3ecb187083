import { expect, test } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { droid } from '../../../../../src/main/tools/targets/droid'
import { buildInput, createEnvironment } from '../support/target-input'

const [settings] = droid.files

const model = { model: 'm1', displayName: 'Mine', baseUrl: 'https://a.example.com/v1' }
const readBackSettings = (modelFields: object, chosen: string) =>
  droid.readBack(
    {
      settings: {
        customModels: [{ model: 'other' }, { ...model, ...modelFields }],
        sessionDefaultSettings: { model: chosen },
      },
    },
    createEnvironment('linux'),
  )

test('finds the selected model by its id, or by its code without one', () => {
  const foundSettings = { base: 'https://a.example.com/v1', modelCode: 'm1' }
  expect(readBackSettings({ id: 'custom:Mine-1' }, 'custom:Mine-1')).toMatchObject(foundSettings)
  expect(readBackSettings({}, 'custom:m1')).toMatchObject(foundSettings)
  expect(readBackSettings({}, 'claude-opus-4-5')).toEqual({})
})

test('reads a key as a variable or as plain text', () => {
  expect(readBackSettings({ apiKey: `\${KEY_1}` }, 'custom:m1').credential).toEqual({ kind: 'variable', name: 'KEY_1' })
  const literal = readBackSettings({ apiKey: 'sk-1' }, 'custom:m1').credential
  expect(literal?.kind === 'plain' && literal.text instanceof Secret && literal.text.expose()).toBe('sk-1')
})

test('keeps a default model of the user, and replaces one of ours', () => {
  const path = ['sessionDefaultSettings', 'model']
  expect(settings.isUsersOwn?.(path, 'claude-opus-4-5')).toBe(true)
  expect(settings.isUsersOwn?.(path, 'custom:platform-companion/gw-small')).toBe(false)
  expect(settings.isUsersOwn?.(['customModels'], 'anything')).toBe(false)
})

test('warns that Droid replaces the variable by the key, and still recognizes its elements', () => {
  expect(droid.warnings?.({}, buildInput(droid))).toMatchObject([{ code: 'toolWritesKey' }])
  expect(droid.warnings?.({}, buildInput(droid, { delivery: 'plain' }))).toEqual([])
  const elements = settings.edits(buildInput(droid), {}, createEnvironment('linux')).filter((edit) => 'element' in edit)
  expect(elements).toMatchObject([{ isVolatile: true }, { isVolatile: true }])
})
