import { expect, test } from 'vitest'
import { claudeDesktop } from '../../../../../src/main/tools/targets/claude-desktop'
import { buildInput, getWrittenValue } from '../support/target-input'

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
