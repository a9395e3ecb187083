import { expect, test } from 'vitest'
import { copilotCli } from '../../../../../src/main/tools/targets/simple-tools'
import { buildInput, createEnvironment, getWrittenValue } from '../support/target-input'

const readBackSettings = (input = buildInput(copilotCli)) =>
  copilotCli.readBack(
    { settings: { content: String(getWrittenValue(copilotCli, 'settings', input, 'content')) } },
    createEnvironment('linux'),
  )

test('Copilot: address, model and key delivery are read back from its text', () => {
  const foundSettings = { base: 'https://plan.example.com/v1', modelCode: 'gw-large' }
  const command = '/opt/companion key print'
  expect(readBackSettings()).toEqual({ ...foundSettings, credential: { kind: 'helper', command } })
  expect(readBackSettings(buildInput(copilotCli, { delivery: 'env' }))).toEqual({
    ...foundSettings,
    credential: { kind: 'variable', name: 'COPILOT_PROVIDER_API_KEY' },
  })
})

test('Copilot: another program of that name is ignored', () => {
  const settings = { content: '#!/bin/sh\nexec copilot --banner "$@"\n' }
  expect(copilotCli.readBack({ settings }, createEnvironment('linux'))).toEqual({})
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
