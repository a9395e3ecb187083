import { describe, expect, test } from 'vitest'
import { editors } from '../../../../../src/main/tools/editors'
import type { Json } from '../../../../../src/main/tools/editors/editor'
import { exposeEdits } from '../../../../../src/main/tools/owned-settings'
import type { TargetInput, WrittenTarget } from '../../../../../src/main/tools/target'
import { cherryStudio, cursor, jetBrains, roo } from '../../../../../src/main/tools/targets/guided'
import { goose } from '../../../../../src/main/tools/targets/provider-tools'
import { aichat, aider, junie, openHands } from '../../../../../src/main/tools/targets/simple-tools'
import { buildInput, createEnvironment } from '../support/target-input'

const environment = createEnvironment('linux')
const plainTextTargets = [aider, goose, aichat, openHands, junie]
const modelCode = 'vendor/gw-coder:free'

function readBackSettings(target: WrittenTarget, delivery: TargetInput['delivery']) {
  const input = buildInput(target, { delivery, modelCode })
  const files = target.files.map(({ id, format, edits }): [string, Json] => {
    const editor = editors[format]
    const parsedDocument = editor.parse(editor.edit('', exposeEdits(edits(input, {}, environment))))
    return [id, parsedDocument.ok ? parsedDocument.value : {}]
  })
  return target.readBack(Object.fromEntries(files), environment)
}

const rows = plainTextTargets.flatMap((target) =>
  target.deliveries.map((delivery) => ({ name: target.name, target, delivery })),
)

test.each(rows)('$name with the key as $delivery is read back', ({ target, delivery }) => {
  const { base, modelCode: foundCode, credential } = readBackSettings(target, delivery)
  expect(base).toBe(target.base('https://plan.example.com'))
  expect(foundCode).toBe(modelCode)
  const holdsKey = delivery === 'plain' || delivery === 'envFile'
  expect(credential).toMatchObject(holdsKey ? { kind: 'plain' } : { kind: 'variable', name: target.variable })
  if (credential?.kind === 'plain') expect(credential.text.expose()).toBe('sk-test-0123456789abcdefghij')
})

test.each(plainTextTargets)('$name is not recognized as ours when another program set it up', (target) => {
  const settings: Json = {
    model: 'sonnet',
    GOOSE_PROVIDER: 'anthropic',
    GOOSE_MODEL: 'sonnet',
    clients: [{ type: 'claude' }],
  }
  expect(target.readBack({ settings }, environment)).not.toHaveProperty('credential.kind', 'variable')
})

describe('model codes that a tool sends to the Responses API cause a warning', () => {
  const codes = (target: WrittenTarget, modelCode: string): unknown =>
    target.warnings?.({}, buildInput(target, { modelCode, slots: {} })).map(({ code, subject }) => [code, subject])

  test.each([
    { target: goose, modelCode: 'gpt-5', isRefused: true },
    { target: goose, modelCode: 'vendor/gpt-5.1-codex', isRefused: true },
    { target: goose, modelCode: 'o3-mini', isRefused: true },
    { target: goose, modelCode: 'gpt-50', isRefused: false },
    { target: goose, modelCode: 'yolo3', isRefused: false },
    { target: openHands, modelCode: 'vendor/gpt-5-mini', isRefused: true },
    { target: openHands, modelCode: 'o3-mini', isRefused: false },
  ])('$target.name, $modelCode: $isRefused', ({ target, modelCode, isRefused }) => {
    expect(codes(target, modelCode)).toEqual(isRefused ? [['modelRefused', modelCode]] : [])
  })
})

test('an address in a variable that Aider overrides causes a warning', () => {
  const settings = { 'set-env': ['OPENAI_BASE_URL=https://old.example.org/v1', 'TERM=dumb'] }
  expect(aider.conflicts?.({ settings })).toEqual([
    { code: 'otherProviderSwitch', subject: 'set-env', origin: 'settings' },
  ])
  expect(aider.conflicts?.({ settings: { 'set-env': 'TERM=dumb' } })).toEqual([])
})

test('OpenHands without a condenser gets none', () => {
  const input = buildInput(openHands, { delivery: 'plain' })
  const paths = (current: Json): string[] =>
    openHands.files[0].edits(input, current, environment).map(({ path }) => path[0] ?? '')
  expect(paths({ condenser: null })).not.toContain('condenser')
  expect(paths({ condenser: { kind: 'NoOpCondenser' } })).not.toContain('condenser')
  expect(paths({})).toContain('condenser')
})

test.each([
  [cursor, 'https://plan.example.com/v1'],
  [jetBrains, 'https://plan.example.com/v1'],
  [roo, 'https://plan.example.com/v1'],
  [cherryStudio, 'https://plan.example.com'],
])('$name shows its own form of the address, the unchanged model, and to paste the key', (target, address) => {
  const fields = target.fields({ gatewayUrl: 'https://plan.example.com', modelCode: 'vendor/gw-coder:free' })
  const values = fields.map((field) => ('value' in field ? field.value : '[key]'))
  expect(values).toEqual(expect.arrayContaining([address, 'vendor/gw-coder:free', '[key]']))
  expect(target.requestAddress('https://plan.example.com')).toBe('https://plan.example.com/v1/chat/completions')
})
