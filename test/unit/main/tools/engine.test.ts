import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Failure } from '@shared/failure'
import { beforeEach, describe, expect, test } from 'vitest'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { backupFolder, journalPath } from '../../../../src/main/tools/journal'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { readFiles, readToolStatus, toSettingsByFile } from '../../../../src/main/tools/status'
import type { WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { vscodeCopilot } from '../../../../src/main/tools/targets/code-editors'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { nanocoder } from '../../../../src/main/tools/targets/provider-tools'
import { expectFailure } from '../../support/failures'
import { createFailingDisk } from './support/failing-disk'
import { catchFailure, KEY, otherRequest, request, ToolHarness } from './support/workshop'

const SETTINGS = '{\n  "theme": "dark"\n}\n'

let harness: ToolHarness
let claude: string
let code: string
beforeEach(() => {
  harness = new ToolHarness()
  claude = join(harness.home, '.claude/settings.json')
  code = join(harness.home, '.config/opencode/opencode.json')
})

const status = async (target: WrittenTarget) => {
  const { status: currentStatus, drift } = await readToolStatus(target, undefined, harness.place)
  return drift.length > 0 ? { status: currentStatus, drift } : currentStatus
}

/** Configures a tool that has settings of the user. */
async function configure(target: WrittenTarget): Promise<void> {
  harness.writeFileAt(harness.getFile(target), SETTINGS)
  await harness.apply(target)
}

/** Configures OpenCode on a disk that rejects an operation on paths with this part. */
async function applyWithFault(errno: string, operation: string, part = '/.config/'): Promise<Failure | undefined> {
  const disk = createFailingDisk(errno, (called, path) => called === operation && path.includes(part))
  return catchFailure(prepareApply(openCode, request, harness.on(disk)).then((plan) => harness.commit(plan, disk)))
}

const keyFiles = (): string[] =>
  Object.keys(harness.tree(harness.dataDir)).filter((path) => path.startsWith('/key-files/') && !path.endsWith('/'))

const backups = (): string[] =>
  readdirSync(backupFolder(harness.place)).map((name) => join(backupFolder(harness.place), name))

describe('the key', () => {
  test('is in no file with a helper command, and in one private file with a file reference', async () => {
    await harness.apply(claudeCode)
    expect(JSON.stringify(harness.tree(harness.root))).not.toContain(KEY)
    await harness.apply(openCode)
    const holders = Object.entries(harness.tree(harness.root)).filter(([, content]) => content.includes(KEY))
    expect(holders).toEqual([[expect.stringContaining('/data/key-files/opencode-'), `600 ${KEY}`]])
    expect(harness.mode(join(harness.dataDir, 'key-files'))).toBe(0o700)
    const settings = toSettingsByFile(await readFiles(openCode, harness.place))
    const path = join(harness.dataDir, keyFiles()[0] ?? '')
    expect(openCode.readBack(settings, harness.place.environment).credential).toEqual({ kind: 'file', path })
  })

  test('in plain text makes the settings private, and undo restores the earlier permissions', async () => {
    harness.writeFileAt(claude, SETTINGS, 0o644)
    const plan = await harness.apply(claudeCode, { ...request, delivery: 'plain' })
    expect(harness.mode(claude)).toBe(0o600)
    expect(plan.warnings).toContainEqual({ code: 'plainText', subject: claude })
    expect(readFileSync(journalPath('claude-code', harness.place), 'utf8')).not.toContain(KEY)
    await harness.restore(claudeCode)
    expect(harness.mode(claude)).toBe(0o644)
  })

  test('never appears in a plan, in any serialization', async () => {
    for (const target of [claudeCode, openCode]) {
      const plan = await prepareApply(target, { ...request, delivery: 'plain' }, harness.place)
      expect(JSON.stringify(plan)).not.toContain(KEY)
      expect(inspect(plan, { depth: 20, showHidden: true })).not.toContain(KEY)
      expect(JSON.stringify(plan.files)).toContain('\\"[secret]\\"')
    }
  })

  test('is required, since without it nothing is planned', async () => {
    const keylessRequest = { ...request, key: undefined, helperCommand: undefined }
    for (const [target, delivery] of [
      [claudeCode, 'helper'],
      [claudeCode, 'plain'],
      [openCode, 'file'],
      [openCode, 'plain'],
    ] as const)
      await expectFailure(prepareApply(target, { ...keylessRequest, delivery }, harness.place), 'vault.keyMissing')
    await expectFailure(prepareApply(claudeCode, { ...request, helperCommand: '' }, harness.place), 'vault.keyMissing')
  })
})

describe('files', () => {
  test('of a new tool are private, in folders that undo removes', async () => {
    await harness.apply(openCode)
    expect(harness.mode(code)).toBe(0o600)
    expect(readFileSync(journalPath('opencode', harness.place), 'utf8')).toContain(join(harness.home, '.config'))
    await harness.restore(openCode)
    expect(harness.tree()).toEqual({ '/': '' })
  })

  test('in folders that others use as well lose only our settings', async () => {
    await harness.apply(openCode)
    harness.writeFileAt(join(harness.home, '.config/other'), 'x')
    await harness.restore(openCode)
    expect(Object.keys(harness.tree())).toEqual(['/', '/.config/', '/.config/other'])
  })

  test('with a dangling link are created at its target, and undo leaves the link dangling', async () => {
    mkdirSync(join(harness.home, '.claude'))
    symlinkSync('../dotfiles/new/claude.json', claude)
    const treeBefore = harness.tree()
    await harness.apply(claudeCode)
    expect(harness.tree()['/dotfiles/new/claude.json']).toContain('apiKeyHelper')
    await harness.restore(claudeCode)
    expect(harness.tree()).toEqual(treeBefore)
  })

  test('in a linked folder are written there', async () => {
    harness.writeFileAt(join(harness.home, 'dotfiles/settings.json'), SETTINGS)
    symlinkSync('dotfiles', join(harness.home, '.claude'))
    const treeBefore = harness.tree()
    const plan = await harness.apply(claudeCode)
    expect(plan.files[0]).toMatchObject({ path: claude, linkTarget: join(harness.home, 'dotfiles/settings.json') })
    expect(harness.tree()['/dotfiles/settings.json']).toContain('apiKeyHelper')
    await harness.restore(claudeCode)
    expect(harness.tree()).toEqual(treeBefore)
  })

  test.each<[string, (path: string) => void]>([
    ['a circle of links', (path) => symlinkSync(path, path)],
    ['a folder', (path) => mkdirSync(path)],
  ])('that are %s are refused', async (_name, make) => {
    mkdirSync(join(harness.home, '.claude'))
    make(claude)
    await expectFailure(prepareApply(claudeCode, request, harness.place), 'file.unreadable')
    expect((await readToolStatus(claudeCode, undefined, harness.place)).status).toBe('unreadable')
  })
})

describe('a write that the system rejects', () => {
  test.each([
    ['ENOSPC', 'writeFile', '/.config/'],
    ['ENOSPC', 'writeFile', '/key-files/'],
    ['EDQUOT', 'writeFile', '/.config/'],
    ['EROFS', 'create', '/.config/'],
    ['EACCES', 'create', '/.config/'],
    ['EBUSY', 'rename', '/.config/'],
  ])('with %s at %s in %s leaves everything unchanged', async (errno, operation, part) => {
    harness.writeFileAt(code, SETTINGS)
    const treeBefore = harness.tree()
    expect(await applyWithFault(errno, operation, part)).toMatchObject({
      code: 'file.unwritable',
      message: expect.stringContaining(part),
    })
    expect(harness.tree()).toEqual(treeBefore)
    expect(Object.entries(harness.tree(harness.dataDir)).filter(([path]) => !path.endsWith('/'))).toEqual([
      ['/tools.lock', '600 '],
    ])
  })

  test('during a plan switch leaves the first plan working', async () => {
    harness.writeFileAt(code, SETTINGS)
    await harness.apply(openCode, otherRequest)
    const treeBefore = harness.tree(harness.root)
    expect((await applyWithFault('ENOSPC', 'writeFile'))?.code).toBe('file.unwritable')
    expect(harness.tree(harness.root)).toEqual(treeBefore)
    expect(await status(openCode)).toBe('configured')
  })

  test('during an undo leaves the tool configured, and a second undo works', async () => {
    await configure(openCode)
    const disk = createFailingDisk('EROFS', (operation, path) => operation === 'create' && path.includes('/.config/'))
    const failure = await catchFailure(
      prepareRestore(openCode, harness.on(disk)).then((plan) => harness.commit(plan, disk)),
    )
    expect(failure?.code).toBe('file.unwritable')
    expect(await status(openCode)).toBe('configured')
    await harness.restore(openCode)
    expect(harness.read(code)?.toString()).toBe(SETTINGS)
  })

  test('during the cleanup does not revert the undo', async () => {
    await harness.apply(openCode, otherRequest)
    expect(await applyWithFault('EACCES', 'unlink', '/key-files/')).toBeUndefined()
    expect(await status(openCode)).toBe('configured')
    await harness.restore(openCode)
    expect(keyFiles()).toEqual([])
  })
})

describe('between preview and write', () => {
  const replaceByLink = () => {
    renameSync(claude, `${claude}.real`)
    symlinkSync('settings.json.real', claude)
  }
  const changes: readonly [string, () => void][] = [
    ['the file changed', () => writeFileSync(claude, `${SETTINGS} `)],
    ['the file went', () => rmSync(claude)],
    ['the file became a link', replaceByLink],
  ]

  const cases = changes.flatMap(([name, change]) => [
    { name: `${name}: nothing is written`, change, isUndo: false },
    { name: `${name}: nothing is restored`, change, isUndo: true },
  ])
  test.each(cases)('$name', async ({ change, isUndo }) => {
    harness.writeFileAt(claude, SETTINGS)
    if (isUndo) await harness.apply(claudeCode)
    else harness.makeLock()
    const { place } = harness
    const plan = await (isUndo ? prepareRestore(claudeCode, place) : prepareApply(claudeCode, request, place))
    change()
    const treeAfter = harness.tree(harness.root)
    await expectFailure(harness.commit(plan), 'file.changed')
    expect(harness.tree(harness.root)).toEqual(treeAfter)
  })

  test('the file changes at the last moment: that change wins', async () => {
    harness.writeFileAt(claude, SETTINGS)
    const lateWriteDisk = createFailingDisk('none', (operation, path) => {
      if (operation === 'writeFile' && path.includes('.claude')) writeFileSync(claude, '{"late":true}')
      return false
    })
    const plan = await prepareApply(claudeCode, request, harness.on(lateWriteDisk))
    await expectFailure(harness.commit(plan, lateWriteDisk), 'file.changed')
    expect(harness.read(claude)?.toString()).toBe('{"late":true}')
    expect(await status(claudeCode)).toBe('absent')
  })
})

describe('undoing', () => {
  test('of a file that the user deleted leaves it deleted and cleans up', async () => {
    await configure(openCode)
    rmSync(code)
    expect(await status(openCode)).toBe('absent')
    const plan = await harness.restore(openCode)
    expect(plan.files.map(({ action }) => action)).toEqual(['none', 'delete'])
    expect(existsSync(code)).toBe(false)
    expect(keyFiles()).toEqual([])
  })

  test('of settings that the user already removed changes nothing else', async () => {
    await configure(claudeCode)
    const userSettings = '{\n  "theme": "dark",\n  "env": { "ANTHROPIC_BASE_URL": "https://mine.example" }\n}\n'
    writeFileSync(claude, userSettings)
    expect(await status(claudeCode)).toBe('absent')
    await harness.restore(claudeCode)
    expect(harness.read(claude)?.toString()).toBe(userSettings)
    expect(await status(claudeCode)).toBe('otherwise')
  })

  test('removes the address with the credential even when the address was edited', async () => {
    await configure(claudeCode)
    writeFileSync(claude, readFileSync(claude, 'utf8').replace(request.gatewayUrl, 'https://elsewhere.example'))
    expect(await status(claudeCode)).toEqual({ status: 'drifted', drift: ['env.ANTHROPIC_BASE_URL'] })
    const plan = await harness.restore(claudeCode)
    expect(plan.warnings).toEqual([{ code: 'laterValueReplaced', subject: 'env.ANTHROPIC_BASE_URL', path: claude }])
    expect(harness.read(claude)?.toString()).toBe(SETTINGS)
  })

  test('keeps settings that belong to another provider and removes ours', async () => {
    await configure(claudeCode)
    const text = readFileSync(claude, 'utf8')
      .replace(request.gatewayUrl, 'https://elsewhere.example')
      .replace('"ANTHROPIC_AUTH_TOKEN": ""', '"ANTHROPIC_AUTH_TOKEN": "their-token"')
      .replace(/,\n {2}"apiKeyHelper".*/, '')
    writeFileSync(claude, text)
    await harness.restore(claudeCode)
    expect(JSON.parse(readFileSync(claude, 'utf8'))).toEqual({
      theme: 'dark',
      env: { ANTHROPIC_BASE_URL: 'https://elsewhere.example', ANTHROPIC_AUTH_TOKEN: 'their-token' },
    })
  })

  test('keeps a default model that the user chose from another provider', async () => {
    await configure(openCode)
    writeFileSync(code, readFileSync(code, 'utf8').replace('"platform-companion/gw-large"', '"anthropic/claude"'))
    await harness.restore(openCode)
    expect(JSON.parse(readFileSync(code, 'utf8'))).toEqual({ theme: 'dark', model: 'anthropic/claude' })
  })

  test('keeps a list that has grown, without our entry', async () => {
    harness.writeFileAt(code, '{ "enabled_providers": ["anthropic"] }\n')
    await harness.apply(openCode)
    writeFileSync(code, readFileSync(code, 'utf8').replace('"anthropic",', '"anthropic", "groq",'))
    await harness.restore(openCode)
    expect(harness.read(code)?.toString()).toBe('{ "enabled_providers": ["anthropic", "groq"] }\n')
  })
})

describe('a moved settings file', () => {
  test('with our settings is undone at its new name, before the key is removed', async () => {
    await configure(openCode)
    renameSync(code, `${code}c`)
    const plan = await harness.restore(openCode)
    expect(plan.files.map(({ path, action }) => [path, action])).toContainEqual([`${code}c`, 'change'])
    expect(harness.tree()).toEqual(expect.objectContaining({ '/.config/opencode/opencode.jsonc': `644 ${SETTINGS}` }))
    expect(keyFiles()).toEqual([])
  })

  test('loses our settings at the old path when they are applied at the new one', async () => {
    await configure(openCode)
    harness.writeFileAt(`${code}c`, '// new\n{}\n')
    expect(await status(openCode)).toEqual({ status: 'drifted', drift: [code] })
    await harness.apply(openCode)
    expect(harness.read(code)?.toString()).toBe(SETTINGS)
    expect(harness.read(`${code}c`)?.toString()).toContain('platform-companion')
    expect(await status(openCode)).toBe('configured')
    await harness.restore(openCode)
    expect(harness.read(`${code}c`)?.toString()).toBe('// new\n{}\n')
  })

  test('that was alone in its folder is found in the new folder', async () => {
    await harness.apply(openCode)
    harness.vars.XDG_CONFIG_HOME = join(harness.home, '.config/elsewhere')
    await harness.apply(openCode, otherRequest)
    expect(Object.keys(harness.tree()).filter((path) => !path.endsWith('/'))).toEqual([
      '/.config/elsewhere/opencode/opencode.json',
    ])
    await harness.restore(openCode)
    expect(harness.tree()).toEqual({ '/': '' })
  })

  test('that replaces its link by a copy is undone in both places', async () => {
    harness.writeFileAt(join(harness.home, 'dotfiles/opencode.json'), SETTINGS)
    mkdirSync(join(harness.home, '.config/opencode'), { recursive: true })
    symlinkSync(join(harness.home, 'dotfiles/opencode.json'), code)
    await harness.apply(openCode)
    const text = readFileSync(code)
    rmSync(code)
    writeFileSync(code, text)
    await harness.restore(openCode)
    expect(harness.read(code)?.toString()).toBe(SETTINGS)
    expect(harness.read(join(harness.home, 'dotfiles/opencode.json'))?.toString()).toBe(SETTINGS)
  })
})

describe('the record', () => {
  test('is a clear failure when damaged, naming the original, which is intact', async () => {
    await configure(claudeCode)
    const [backup = ''] = backups()
    expect(readFileSync(backup, 'utf8')).toBe(SETTINGS)
    expect(harness.mode(backup)).toBe(0o600)
    writeFileSync(journalPath('claude-code', harness.place), '{"version":1,')
    const configured = harness.read(claude)
    const failure = { code: 'file.unreadable', message: expect.stringContaining(backupFolder(harness.place)) }
    await expectFailure(prepareRestore(claudeCode, harness.place), failure)
    await expectFailure(prepareApply(claudeCode, request, harness.place), failure)
    expect((await readToolStatus(claudeCode, undefined, harness.place)).status).toBe('unreadable')
    expect(harness.read(claude)).toEqual(configured)
  })

  test('without its original causes a refusal instead of a guess', async () => {
    await configure(claudeCode)
    for (const backup of backups()) writeFileSync(backup, '{}')
    await expectFailure(prepareRestore(claudeCode, harness.place), 'file.unreadable')
  })

  test('is not rebuilt with our own settings as the original when lost', async () => {
    await configure(openCode)
    rmSync(harness.dataDir, { recursive: true })
    expect(await status(openCode)).toBe('otherwise')
    await harness.apply(openCode)
    await harness.restore(openCode)
    const $schema = 'https://opencode.ai/config.json'
    expect(JSON.parse(readFileSync(code, 'utf8'))).toEqual({ theme: 'dark', $schema })
  })
})

describe('moved comments', () => {
  const jsonWithComments = '{\n  // mine\n  "theme": "dark", // very\n}\n'
  const requestWithConsent = { ...request, moveCommentsToCopy: true }
  const copy = (): string => `${claude}.with-comments.jsonc`

  test('are kept byte for byte in a copy next to the file, which replaces no other file', async () => {
    harness.writeFileAt(claude, jsonWithComments)
    harness.writeFileAt(copy(), 'somebody else’s')
    const plan = await harness.apply(claudeCode, requestWithConsent)
    const numberedCopy = `${claude}.with-comments.2.jsonc`
    expect(plan.warnings).toContainEqual({ code: 'commentsMoved', subject: numberedCopy })
    expect(plan.files.map(({ path, action }) => [path, action])).toEqual([
      [claude, 'change'],
      [numberedCopy, 'create'],
    ])
    expect(harness.read(numberedCopy)?.toString()).toBe(jsonWithComments)
    await harness.restore(claudeCode)
    expect(harness.read(copy())?.toString()).toBe('somebody else’s')
    expect(existsSync(numberedCopy)).toBe(false)
    expect(harness.read(claude)?.toString()).toBe(jsonWithComments)
  })

  test('stay in the copy when the user changed it or the settings', async () => {
    harness.writeFileAt(claude, jsonWithComments)
    await harness.apply(claudeCode, requestWithConsent)
    writeFileSync(copy(), 'mine now')
    await harness.restore(claudeCode)
    expect(harness.read(claude)?.toString()).toBe(jsonWithComments)
    expect(harness.read(copy())?.toString()).toBe('mine now')
  })

  test('require consent again when there are new ones', async () => {
    harness.writeFileAt(claude, jsonWithComments)
    await harness.apply(claudeCode, requestWithConsent)
    await harness.apply(claudeCode, otherRequest)
    writeFileSync(claude, readFileSync(claude, 'utf8').replace('{\n', '{\n  // new\n'))
    expect((await readToolStatus(claudeCode, undefined, harness.place)).problem?.code).toBe('file.notStrict')
    await expectFailure(prepareApply(claudeCode, request, harness.place), 'file.notStrict')
    await harness.restore(claudeCode)
    expect(readFileSync(claude, 'utf8')).toContain('// new')
  })

  test('make an unconfigured tool absent with a problem, because the tool reads nothing', async () => {
    harness.writeFileAt(claude, jsonWithComments)
    expect(await readToolStatus(claudeCode, undefined, harness.place)).toMatchObject({
      status: 'absent',
      problem: { code: 'file.notStrict', line: 2 },
    })
  })
})

const ourProvider = 'provider.platform-companion'

describe('status', () => {
  test('lists every changed setting', async () => {
    await harness.apply(openCode)
    const text = readFileSync(code, 'utf8')
    writeFileSync(code, text.replace('128000', '64000').replace('"small_model"', '"tiny_model"'))
    expect(await status(openCode)).toEqual({
      status: 'drifted',
      drift: [`${ourProvider}.models.gw-large`, 'small_model'],
    })
  })

  test('detects a missing or changed key file', async () => {
    await harness.apply(openCode)
    const driftedState = { status: 'drifted', drift: [`${ourProvider}.options.apiKey`] }
    const path = join(harness.dataDir, keyFiles()[0] ?? '')
    writeFileSync(path, 'another')
    expect(await status(openCode)).toEqual(driftedState)
    rmSync(path)
    expect(await status(openCode)).toEqual(driftedState)
  })

  test('compares with the current plan', async () => {
    await harness.apply(openCode)
    const expectedRequest = { ...request, models: ['gw-large', 'gw-new'], contextTokens: 128_000 }
    const compare = (plan: ToolRequest) => readToolStatus(openCode, plan, harness.place)
    const drift = ['gw-new', 'vendor/gw-coder:free'].map((model) => `${ourProvider}.models.${model}`)
    expect((await compare(expectedRequest)).drift).toEqual(drift)
    expect((await compare({ ...request, key: otherRequest.key })).drift).toEqual([`${ourProvider}.options.apiKey`])
    expect((await compare({ ...request, key: undefined })).status).toBe('configured')
  })
})

describe('a list element', () => {
  const list = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

  test('keeps fields that its tool added when applied again, without counting as drift', async () => {
    await harness.apply(vscodeCopilot)
    const path = harness.getFile(vscodeCopilot)
    const [ownProvider, ...rest] = list(path)
    writeFileSync(path, JSON.stringify([...rest, { ...ownProvider, apiKey: '$'.concat('{input:chat.lm.secret.1}') }]))
    expect(await status(vscodeCopilot)).toBe('configured')
    await harness.apply(vscodeCopilot, { ...request, contextTokens: 64_000 })
    expect(list(path)).toContainEqual(expect.objectContaining({ apiKey: '$'.concat('{input:chat.lm.secret.1}') }))
    await harness.restore(vscodeCopilot)
    expect(existsSync(path)).toBe(false)
  })

  test('is removed even after edits, because it contains the key', async () => {
    const path = harness.getFile(nanocoder)
    harness.writeFileAt(path, '{ "nanocoder": { "providers": [{ "name": "mine", "models": ["m"] }] } }\n')
    const bytesBefore = harness.read(path)
    await harness.apply(nanocoder, { ...request, delivery: 'plain' })
    writeFileSync(path, readFileSync(path, 'utf8').replace(request.gatewayUrl, 'https://elsewhere.example'))
    await harness.restore(nanocoder)
    expect(readFileSync(path, 'utf8')).not.toContain(KEY)
    expect(harness.read(path)).toEqual(bytesBefore)
  })
})

describe('a setting that the user keeps or removes', () => {
  test('is removed, is drift when it returns, and is restored when the rest is undone', async () => {
    const originalText = '{ "model": "opus", "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }\n'
    harness.writeFileAt(claude, originalText)
    await harness.apply(claudeCode, { ...request, settingsToRemove: ['model', 'env.CLAUDE_CODE_USE_BEDROCK'] })
    const { model, env } = JSON.parse(readFileSync(claude, 'utf8'))
    expect([model, env.CLAUDE_CODE_USE_BEDROCK]).toEqual([undefined, undefined])
    expect((await readToolStatus(claudeCode, request, harness.place)).status).toBe('configured')
    writeFileSync(claude, readFileSync(claude, 'utf8').replace('{', '{ "model": "sonnet",'))
    expect((await readToolStatus(claudeCode, request, harness.place)).drift).toEqual(['model'])
    await harness.restore(claudeCode)
    expect(harness.read(claude)?.toString()).toBe(originalText)
  })

  test('is never an address without its credential', async () => {
    for (const pathsToKeep of [['apiKeyHelper'], ['env.ANTHROPIC_AUTH_TOKEN', 'apiKeyHelper']])
      await expectFailure(
        prepareApply(claudeCode, { ...request, keep: pathsToKeep }, harness.place),
        'vault.keyMissing',
      )
  })
})

test('a record of version 1 can be read, compared and undone', async () => {
  await configure(openCode)
  const path = journalPath('opencode', harness.place)
  const { site: _site, files, ceded: _ceded, choice, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
  const [{ id: _id, format: _format, ...file }] = files
  const { slots, ...old } = choice
  writeFileSync(path, JSON.stringify({ ...rest, ...file, version: 1, choice: { ...old, smallModelCode: slots.small } }))
  expect((await readToolStatus(openCode, request, harness.place)).status).toBe('configured')
  await harness.restore(openCode)
  expect(harness.read(code)?.toString()).toBe(SETTINGS)
})
