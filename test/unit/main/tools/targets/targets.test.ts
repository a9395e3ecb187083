import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { exposeEdits } from '../../../../../src/main/tools/owned-settings'
import type { Edit, TargetInput } from '../../../../../src/main/tools/target'
import { writtenTargets } from '../../../../../src/main/tools/targets'
import { openCode } from '../../../../../src/main/tools/targets/opencode'
import { buildInput, createEnvironment } from '../support/target-input'

const environment = createEnvironment('linux')

const deliveryCases = writtenTargets.flatMap((target) => target.deliveries.map((delivery) => ({ target, delivery })))

test.each(deliveryCases.map((deliveryCase) => ({ ...deliveryCase, id: deliveryCase.target.id })))(
  '$id with the key by $delivery: every address has a credential, no setting has two owners, and the reported base is written',
  ({ target, delivery }) => {
    const files = target.files.map(({ edits }) =>
      edits(buildInput(target, { delivery, keyFile: '/data/key' }), {}, environment),
    )
    const listEditsWithRole = (role: Edit['role']) =>
      files.flat().filter((edit) => edit.role === role && 'value' in edit)
    const isText = target.files.some(({ format }) => format === 'text')
    if (delivery !== 'inTool') expect(listEditsWithRole('credential').length).toBeGreaterThan(0)
    if (!isText) expect(listEditsWithRole('address').length + listEditsWithRole('credential').length).toBeGreaterThan(0)
    for (const edits of files) {
      const editPaths = edits.map((edit) => JSON.stringify([edit.path, 'element' in edit ? edit.element : '']))
      expect(new Set(editPaths).size).toBe(editPaths.length)
    }
    expect(JSON.stringify(files.map(exposeEdits))).toContain(target.base(buildInput(target).gatewayUrl))
  },
)

test('OpenCode gets the key file with forward slashes, and no path that it would misread', () => {
  const edits = (keyFile: string) =>
    openCode.files[0].edits(buildInput(openCode, { delivery: 'file', keyFile }), {}, environment)
  expect(edits('C:\\Users\\me\\key')).toContainEqual(
    expect.objectContaining({ role: 'credential', value: '{file:C:/Users/me/key}' }),
  )
  for (const keyFile of ['/a}b', '/a"b', '/a\nb']) expect(() => edits(keyFile)).toThrow(/cannot be pointed/)
})

test('OpenCode limits a model’s output to half of a small context window', () => {
  const edits = openCode.files[0].edits(
    buildInput(openCode, { delivery: 'plain', contextTokens: 4000 }),
    {},
    environment,
  )
  expect(edits).toContainEqual(
    expect.objectContaining({ value: { name: 'gw-large', limit: { context: 4000, output: 2000 } } }),
  )
})

test.each(writtenTargets.filter(({ id }) => id !== 'claude-desktop'))(
  '$id gets the known context size of each model',
  (target) => {
    const modelFacts = buildInput(target).models.map((modelCode) => ({
      modelCode,
      contextTokens: modelCode === 'gw-large' ? 256_000 : 64_000,
    }))
    const write = (input: TargetInput) =>
      inspect(
        target.files.map(({ edits }) => edits(input, {}, environment)),
        { depth: 20 },
      )
    const text = write(buildInput(target, { modelFacts }))
    // Some tools get the size of the input, which is smaller by the output.
    expect(text).toMatch(/256000|247808/)
    expect(text).not.toMatch(/128000|119808/)
    expect(write(buildInput(target, { modelFacts, contextTokens: 32_000 }))).not.toMatch(/256000|247808/)
  },
)
