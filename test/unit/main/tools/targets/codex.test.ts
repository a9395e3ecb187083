import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareApply } from '../../../../../src/main/tools/apply'
import { findOwnConflicts } from '../../../../../src/main/tools/conflicting-settings'
import { tomlEditor } from '../../../../../src/main/tools/editors/toml'
import { readToolStatus } from '../../../../../src/main/tools/status'
import type { WrittenTarget } from '../../../../../src/main/tools/target'
import { codex } from '../../../../../src/main/tools/targets/codex'
import { buildInput, createEnvironment } from '../support/target-input'
import { otherRequest, request, ToolHarness } from '../support/workshop'

const parseSettings = (toml: string) => {
  const parsedDocument = tomlEditor.parse(toml)
  return parsedDocument.ok ? parsedDocument.value : {}
}

const ownText =
  'model = "mine" # my own\r\nmodel_provider = "elsewhere"\r\n\r\n[model_providers.elsewhere]\r\nname = "E"'

const getConfigPath = ({ home }: { readonly home: string }): string => join(home, '.codex/config.toml')
const getProgramPath = ({ home }: { readonly home: string }): string => join(home, '.local/bin/codex-companion')

/** The tool as in earlier versions of this app, whose only file was a program that starts Codex with settings. */
const earlierTarget: WrittenTarget = {
  ...codex,
  files: [
    {
      id: 'settings',
      format: 'text',
      path: getProgramPath,
      edits: () => [{ path: ['content'], value: '#!/bin/sh\nexec codex "$@"\n', role: 'credential' }],
      mode: 0o700,
    },
  ],
}

test('writes nothing without a key delivery', () => {
  const [, settings] = codex.files
  const input = buildInput(codex, { helperArgv: undefined })
  expect(settings?.edits(input, {}, createEnvironment('linux'))).toEqual([])
})

const findConflicts = (toml: string) => findOwnConflicts(codex, { settings: parseSettings(toml) }, { models: [] })

test.each([
  ['a profile', 'profile = "x"\n[profiles.x]\nmodel_provider = "platform-companion"\n', 'profile', 'takeOut'],
  [
    'another provider with the old protocol',
    '[model_providers.o]\nwire_api = "chat"\n[model_providers.r]\nwire_api = "responses"\n',
    'model_providers.o.wire_api',
    'takeOut',
  ],
  [
    'a provider with a dot in its name, which is corrected in the file',
    '[model_providers."o.p"]\nwire_api = "chat"\n',
    'model_providers.o.p.wire_api',
    'openFile',
  ],
])('%s: it does not start with the setting', (_name, toml, subject, fix) => {
  expect(findConflicts(toml)).toEqual([{ code: 'toolStops', subject, origin: 'settings', fix }])
})

test('profiles of which none is chosen do not stop it', () => {
  expect(findConflicts('[profiles.x]\nmodel_provider = "openai"\n')).toEqual([])
})

test.each([
  ['linux', '/etc/codex/managed_config.toml'],
  ['darwin', '/etc/codex/managed_config.toml'],
  ['win32', 'C:\\Users\\an\\.codex\\managed_config.toml'],
] as const)('settings managed by an organization on %s take precedence', (platform, path) => {
  const [managed] = codex.overriddenBy
  expect(managed?.kind === 'file' && managed.paths(createEnvironment(platform))).toEqual([path])
  expect(managed).toMatchObject({ origin: 'managed' })
})

test.each([
  ['o', 'o'],
  ['"o.p"', 'o.p'],
])('a setting of provider %s that prevents its start is reported until it is removed', async (key, name) => {
  const harness = new ToolHarness()
  harness.writeFileAt(getConfigPath(harness), `[model_providers.${key}]\nname = "O"\nwire_api = "chat" # old\n`)
  const treeBefore = harness.tree()
  const codes = async (settingsToRemove: readonly string[]) =>
    (await prepareApply(codex, { ...request, settingsToRemove }, harness.place)).warnings.map(({ code }) => code)
  expect(await codes([])).toContain('toolStops')
  expect(await codes([`model_providers.${name}.wire_api`])).not.toContain('toolStops')
  await harness.apply(codex, { ...request, settingsToRemove: [`model_providers.${name}.wire_api`] })
  expect(findConflicts(String(harness.read(getConfigPath(harness))))).toEqual([])
  await harness.restore(codex)
  expect(harness.tree()).toEqual(treeBefore)
})

test.each([
  ['where there was none', undefined],
  ['in place of one of the user', '#!/bin/sh\n# my own start of codex\nexec codex --full-auto "$@"\n'],
])('the program that an earlier version wrote, %s, is undone byte for byte', async (_name, program) => {
  const harness = new ToolHarness()
  if (program !== undefined) harness.writeFileAt(getProgramPath(harness), program, 0o755)
  harness.writeFileAt(getConfigPath(harness), ownText)
  const treeBefore = harness.tree()
  await harness.apply(earlierTarget)
  expect(await readToolStatus(codex, request, harness.place)).toMatchObject({ status: 'drifted' })
  // The status is the same if the tool's plan no longer exists.
  expect(await readToolStatus(codex, undefined, harness.place)).toMatchObject({ status: 'drifted' })
  await harness.restore(codex)
  expect(harness.tree()).toEqual(treeBefore)
  expect(harness.leftOvers()).toEqual([])
})

test('a new setup removes the program of an earlier version, and undo restores everything', async () => {
  const harness = new ToolHarness()
  const config = getConfigPath(harness)
  harness.writeFileAt(config, ownText)
  const treeBefore = harness.tree()
  await harness.apply(earlierTarget, otherRequest)
  const { files } = await harness.apply(codex)
  expect(files.map(({ path }) => path)).toEqual([config, getProgramPath(harness)])
  expect(Object.keys(harness.tree()).filter((path) => path.startsWith('/.local'))).toEqual([])
  expect(String(harness.read(config))).toContain('model_provider = "platform-companion"\r\n')
  expect(await readToolStatus(codex, request, harness.place)).toMatchObject({ status: 'configured', drift: [] })
  await harness.restore(codex)
  expect(harness.tree()).toEqual(treeBefore)
})

test('a program of the same name that this app did not write stays', async () => {
  const harness = new ToolHarness()
  harness.writeFileAt(getProgramPath(harness), '#!/bin/sh\nexec codex\n', 0o755)
  const treeBefore = harness.tree()
  await harness.apply(codex)
  expect(harness.tree()).toMatchObject(treeBefore)
  await harness.restore(codex)
  expect(harness.tree()).toEqual(treeBefore)
})
