import {
  chmodSync,
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
import { AppError } from '@shared/failure'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { prepareApply } from '../../../../src/main/tools/apply'
import { journalPath } from '../../../../src/main/tools/journal'
import { keyUses } from '../../../../src/main/tools/key-uses'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { readTool, toolStatus } from '../../../../src/main/tools/status'
import type { WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { nanocoder } from '../../../../src/main/tools/targets/nanocoder'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { vscodeCopilot } from '../../../../src/main/tools/targets/vscode-copilot'
import { backupFolder } from '../../../../src/main/tools/tool-backup'
import { memorySettings } from '../../../support/memory-settings'
import { refusing } from './support/failing-disk'
import { KEY, OTHER_KEY, otherRequest, request, Workshop } from './support/workshop'

const SETTINGS = '{\n  "theme": "dark"\n}\n'

let workshop: Workshop
let claude: string
let code: string
beforeEach(() => {
  workshop = new Workshop()
  claude = join(workshop.home, '.claude/settings.json')
  code = join(workshop.home, '.config/opencode/opencode.json')
})
afterEach(() => workshop.close())

const toolsUsing = (planId: string): string[] =>
  keyUses({ dataDir: workshop.dataDir, settings: memorySettings() }).flatMap((use) =>
    use.planId === planId ? [use.toolId] : [],
  )

const status = async (target: WrittenTarget) => {
  const { status: found, drift } = await toolStatus(target, undefined, workshop.place)
  return drift.length > 0 ? { status: found, drift } : found
}

async function catchFailure(work: Promise<unknown>): Promise<AppError['failure'] | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
}

const keyFiles = (): string[] =>
  Object.keys(workshop.tree(workshop.dataDir)).filter((path) => path.startsWith('/key-files/') && !path.endsWith('/'))

const backups = (): string[] =>
  readdirSync(backupFolder(workshop.place)).map((name) => join(backupFolder(workshop.place), name))

describe('the key', () => {
  test('is in no file with a helper command, and in one private file with a file reference', async () => {
    await workshop.apply(claudeCode)
    expect(JSON.stringify(workshop.tree(workshop.root))).not.toContain(KEY)
    await workshop.apply(openCode)
    const holders = Object.entries(workshop.tree(workshop.root)).filter(([, content]) => content.includes(KEY))
    expect(holders).toEqual([[expect.stringContaining('/data/key-files/opencode-'), `600 ${KEY}`]])
    expect(workshop.mode(join(workshop.dataDir, 'key-files'))).toBe(0o700)
    expect((await readTool(openCode, workshop.place)).credential).toEqual({
      kind: 'file',
      path: join(workshop.dataDir, keyFiles()[0] ?? ''),
    })
  })

  test('in plain text makes the settings private, and undo restores the earlier permissions', async () => {
    workshop.writeFileAt(claude, SETTINGS, 0o644)
    const plan = await workshop.apply(claudeCode, { ...request, delivery: 'plain' })
    expect(workshop.mode(claude)).toBe(0o600)
    expect(plan.warnings).toContainEqual({ code: 'plainText', subject: claude })
    expect(readFileSync(journalPath('claude-code', workshop.place), 'utf8')).not.toContain(KEY)
    await workshop.restore(claudeCode)
    expect(workshop.mode(claude)).toBe(0o644)
  })

  test('never appears in a plan, in any serialization', async () => {
    for (const target of [claudeCode, openCode]) {
      const plan = await prepareApply(target, { ...request, delivery: 'plain' }, workshop.place)
      expect(JSON.stringify(plan)).not.toContain(KEY)
      expect(inspect(plan, { depth: 20, showHidden: true })).not.toContain(KEY)
      expect(plan.files.flatMap(({ lines }) => lines)).toContainEqual(
        expect.objectContaining({ text: expect.stringContaining('"[secret]"') }),
      )
    }
  })

  test('is required, since without it nothing is planned', async () => {
    const without = { ...request, key: undefined, helperCommand: undefined }
    for (const [target, delivery] of [
      [claudeCode, 'helper'],
      [claudeCode, 'plain'],
      [openCode, 'file'],
      [openCode, 'plain'],
    ] as const)
      expect((await catchFailure(prepareApply(target, { ...without, delivery }, workshop.place)))?.code).toBe(
        'vault.keyMissing',
      )
    expect(
      (await catchFailure(prepareApply(claudeCode, { ...request, helperCommand: '' }, workshop.place)))?.code,
    ).toBe('vault.keyMissing')
  })

  test('of one plan is gone after another plan is applied', async () => {
    await workshop.apply(openCode, otherRequest)
    await workshop.apply(openCode, request)
    expect(JSON.stringify(workshop.tree(workshop.root))).not.toContain(OTHER_KEY)
    expect(keyFiles()).toHaveLength(1)
  })
})

describe('files', () => {
  test('of a new tool are private, in folders that undo removes', async () => {
    await workshop.apply(openCode)
    expect(workshop.mode(code)).toBe(0o600)
    expect(readFileSync(journalPath('opencode', workshop.place), 'utf8')).toContain(join(workshop.home, '.config'))
    await workshop.restore(openCode)
    expect(workshop.tree()).toEqual({ '/': '' })
  })

  test('in folders that others use as well lose only our settings', async () => {
    await workshop.apply(openCode)
    workshop.writeFileAt(join(workshop.home, '.config/other'), 'x')
    await workshop.restore(openCode)
    expect(Object.keys(workshop.tree())).toEqual(['/', '/.config/', '/.config/other'])
  })

  test.each([0o600, 0o640, 0o664])('keep their mode %o', async (mode) => {
    workshop.writeFileAt(claude, SETTINGS, mode)
    await workshop.apply(claudeCode)
    expect(workshop.mode(claude)).toBe(mode)
    await workshop.restore(claudeCode)
    expect(workshop.mode(claude)).toBe(mode)
  })

  test('with a chain of symbolic links are written at its target', async () => {
    workshop.writeFileAt(join(workshop.home, 'dotfiles/claude.json'), SETTINGS)
    mkdirSync(join(workshop.home, '.claude'))
    symlinkSync('../dotfiles/claude.json', join(workshop.home, 'link.json'))
    rmSync(join(workshop.home, 'link.json'))
    symlinkSync(join(workshop.home, 'dotfiles/claude.json'), join(workshop.home, 'second'))
    symlinkSync('../second', claude)
    const before = workshop.tree()
    const plan = await workshop.apply(claudeCode)
    expect(plan.files[0]).toMatchObject({ path: claude, linkTarget: join(workshop.home, 'dotfiles/claude.json') })
    expect(workshop.tree()['/.claude/settings.json']).toBe('-> ../second')
    expect(workshop.tree()['/dotfiles/claude.json']).toContain('apiKeyHelper')
    await workshop.restore(claudeCode)
    expect(workshop.tree()).toEqual(before)
  })

  test('with a dangling link are created at its target, and undo leaves the link dangling', async () => {
    mkdirSync(join(workshop.home, '.claude'))
    symlinkSync('../dotfiles/new/claude.json', claude)
    const before = workshop.tree()
    await workshop.apply(claudeCode)
    expect(workshop.tree()['/dotfiles/new/claude.json']).toContain('apiKeyHelper')
    await workshop.restore(claudeCode)
    expect(workshop.tree()).toEqual(before)
  })

  test('in a linked folder are written there', async () => {
    workshop.writeFileAt(join(workshop.home, 'dotfiles/settings.json'), SETTINGS)
    symlinkSync('dotfiles', join(workshop.home, '.claude'))
    const before = workshop.tree()
    await workshop.apply(claudeCode)
    expect(workshop.tree()['/dotfiles/settings.json']).toContain('apiKeyHelper')
    await workshop.restore(claudeCode)
    expect(workshop.tree()).toEqual(before)
  })

  test.each<[string, (path: string) => void]>([
    ['a circle of links', (path) => symlinkSync(path, path)],
    ['a folder', (path) => mkdirSync(path)],
  ])('that are %s are refused', async (_name, make) => {
    mkdirSync(join(workshop.home, '.claude'))
    make(claude)
    expect((await catchFailure(prepareApply(claudeCode, request, workshop.place)))?.code).toBe('file.unreadable')
    expect((await toolStatus(claudeCode, undefined, workshop.place)).status).toBe('unreadable')
  })

  test('that are read-only stay unchanged, without leftovers', async () => {
    workshop.writeFileAt(claude, SETTINGS, 0o444)
    const before = workshop.tree(workshop.root)
    expect(await catchFailure(workshop.apply(claudeCode))).toMatchObject({ code: 'file.unwritable' })
    expect(workshop.tree()).toEqual(
      Object.fromEntries(
        Object.entries(before).flatMap(([path, content]) =>
          path === '/home/' ? [['/', content]] : path.startsWith('/home/') ? [[path.slice(5), content]] : [],
        ),
      ),
    )
    expect(await status(claudeCode)).toBe('absent')
    chmodSync(claude, 0o644)
  })
})

describe('a write that the system rejects', () => {
  const refusals: readonly [string, string][] = [
    ['ENOSPC', 'writeFile'],
    ['EDQUOT', 'writeFile'],
    ['EROFS', 'create'],
    ['EACCES', 'create'],
    ['EBUSY', 'rename'],
  ]

  test.each(refusals)('with %s at %s leaves everything unchanged', async (errno, operation) => {
    workshop.writeFileAt(code, SETTINGS)
    const before = workshop.tree()
    const disk = refusing(errno, (what, path) => what === operation && path.includes('/.config/'))
    const failure = await catchFailure(
      prepareApply(openCode, request, workshop.on(disk)).then((plan) => workshop.commit(plan, disk)),
    )
    expect(failure).toMatchObject({ code: 'file.unwritable', message: expect.stringContaining(code) })
    expect(workshop.tree()).toEqual(before)
    expect(Object.entries(workshop.tree(workshop.dataDir)).filter(([path]) => !path.endsWith('/'))).toEqual([
      ['/tools.lock', '600 '],
    ])
  })

  test('during a plan switch leaves the first plan working', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode, otherRequest)
    const before = workshop.tree(workshop.root)
    const disk = refusing('ENOSPC', (what, path) => what === 'writeFile' && path.includes('/.config/'))
    const failure = await catchFailure(
      prepareApply(openCode, request, workshop.on(disk)).then((plan) => workshop.commit(plan, disk)),
    )
    expect(failure?.code).toBe('file.unwritable')
    expect(workshop.tree(workshop.root)).toEqual(before)
    expect(await status(openCode)).toBe('configured')
  })

  test('during an undo leaves the tool configured, and a second undo works', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    const disk = refusing('EROFS', (what, path) => what === 'create' && path.includes('/.config/'))
    const failure = await catchFailure(
      prepareRestore(openCode, workshop.on(disk)).then((plan) => workshop.commit(plan, disk)),
    )
    expect(failure?.code).toBe('file.unwritable')
    expect(await status(openCode)).toBe('configured')
    await workshop.restore(openCode)
    expect(workshop.read(code)?.toString()).toBe(SETTINGS)
  })

  test('of the key alone reverts the settings, so that OpenCode still starts', async () => {
    workshop.writeFileAt(code, SETTINGS)
    const disk = refusing('ENOSPC', (what, path) => what === 'writeFile' && path.includes('/key-files/'))
    const failure = await catchFailure(
      prepareApply(openCode, request, workshop.on(disk)).then((plan) => workshop.commit(plan, disk)),
    )
    expect(failure?.code).toBe('file.unwritable')
    expect(workshop.read(code)?.toString()).toBe(SETTINGS)
    expect(keyFiles()).toEqual([])
  })

  test('during the cleanup does not revert the undo', async () => {
    await workshop.apply(openCode, otherRequest)
    const disk = refusing('EACCES', (what, path) => what === 'unlink' && path.includes('/key-files/'))
    await workshop.commit(await prepareApply(openCode, request, workshop.on(disk)), disk)
    expect(await status(openCode)).toBe('configured')
    await workshop.restore(openCode)
    expect(keyFiles()).toEqual([])
  })
})

describe('between preview and write', () => {
  const changes: readonly [string, () => void][] = [
    ['the file changed', () => writeFileSync(claude, `${SETTINGS} `)],
    ['the file went', () => rmSync(claude)],
    [
      'the file became a link',
      () => {
        renameSync(claude, `${claude}.real`)
        symlinkSync('settings.json.real', claude)
      },
    ],
  ]

  test.each(changes)('%s: nothing is written', async (_name, change) => {
    workshop.writeFileAt(claude, SETTINGS)
    const plan = await prepareApply(claudeCode, request, workshop.place)
    change()
    workshop.makeLock()
    const changed = workshop.tree(workshop.root)
    expect((await catchFailure(workshop.commit(plan)))?.code).toBe('file.changed')
    expect(workshop.tree(workshop.root)).toEqual(changed)
  })

  test.each(changes)('%s: nothing is restored', async (_name, change) => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    const plan = await prepareRestore(claudeCode, workshop.place)
    change()
    const changed = workshop.tree(workshop.root)
    expect((await catchFailure(workshop.commit(plan)))?.code).toBe('file.changed')
    expect(workshop.tree(workshop.root)).toEqual(changed)
  })

  test('another window applies a change: the older preview is refused', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    const older = await prepareApply(claudeCode, request, workshop.place)
    await workshop.apply(claudeCode, otherRequest)
    expect((await catchFailure(workshop.commit(older)))?.code).toBe('file.changed')
    expect(await status(claudeCode)).toBe('configured')
  })

  test('the file changes at the last moment: that change wins', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    const changing = refusing('none', (what, path) => {
      if (what === 'writeFile' && path.includes('.claude')) writeFileSync(claude, '{"late":true}')
      return false
    })
    const plan = await prepareApply(claudeCode, request, workshop.on(changing))
    expect((await catchFailure(workshop.commit(plan, changing)))?.code).toBe('file.changed')
    expect(workshop.read(claude)?.toString()).toBe('{"late":true}')
    expect(await status(claudeCode)).toBe('absent')
  })
})

describe('undoing', () => {
  test('reports that there is nothing to undo', async () => {
    expect((await catchFailure(prepareRestore(claudeCode, workshop.place)))?.code).toBe('tool.notConfigured')
  })

  test('of a file that the user deleted leaves it deleted and cleans up', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    rmSync(code)
    expect(await status(openCode)).toBe('absent')
    const plan = await workshop.restore(openCode)
    expect(plan.files.map(({ action }) => action)).toEqual(['none', 'delete'])
    expect(existsSync(code)).toBe(false)
    expect(keyFiles()).toEqual([])
  })

  test('of settings that the user already removed changes nothing else', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    const own = '{\n  "theme": "dark",\n  "env": { "ANTHROPIC_BASE_URL": "https://mine.example" }\n}\n'
    writeFileSync(claude, own)
    expect(await status(claudeCode)).toBe('absent')
    await workshop.restore(claudeCode)
    expect(workshop.read(claude)?.toString()).toBe(own)
    expect(await status(claudeCode)).toBe('otherwise')
  })

  test('removes the address with the credential even when the address was edited', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    writeFileSync(claude, readFileSync(claude, 'utf8').replace(request.gatewayUrl, 'https://elsewhere.example'))
    expect(await status(claudeCode)).toEqual({ status: 'drifted', drift: ['env.ANTHROPIC_BASE_URL'] })
    const plan = await workshop.restore(claudeCode)
    expect(plan.warnings).toEqual([{ code: 'laterValueReplaced', subject: 'env.ANTHROPIC_BASE_URL', path: claude }])
    expect(workshop.read(claude)?.toString()).toBe(SETTINGS)
  })

  test('keeps settings that belong to another provider and removes ours', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    const text = readFileSync(claude, 'utf8')
      .replace(request.gatewayUrl, 'https://elsewhere.example')
      .replace('"ANTHROPIC_AUTH_TOKEN": ""', '"ANTHROPIC_AUTH_TOKEN": "their-token"')
      .replace(/,\n {2}"apiKeyHelper".*/, '')
    writeFileSync(claude, text)
    await workshop.restore(claudeCode)
    expect(JSON.parse(readFileSync(claude, 'utf8'))).toEqual({
      theme: 'dark',
      env: { ANTHROPIC_BASE_URL: 'https://elsewhere.example', ANTHROPIC_AUTH_TOKEN: 'their-token' },
    })
  })

  test('keeps a default model that the user chose from another provider', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    writeFileSync(code, readFileSync(code, 'utf8').replace('"platform-companion/gw-large"', '"anthropic/claude"'))
    await workshop.restore(openCode)
    expect(JSON.parse(readFileSync(code, 'utf8'))).toEqual({ theme: 'dark', model: 'anthropic/claude' })
  })

  test('restores every byte when the tool only reformatted the file', async () => {
    const original = '{ "theme":"dark",\n\n "env":{ "FOO":"1" } }'
    workshop.writeFileAt(claude, original)
    await workshop.apply(claudeCode)
    const { env, theme, apiKeyHelper } = JSON.parse(readFileSync(claude, 'utf8'))
    writeFileSync(claude, JSON.stringify({ apiKeyHelper, theme, env }, null, 4))
    expect(await status(claudeCode)).toBe('configured')
    await workshop.restore(claudeCode)
    expect(workshop.read(claude)?.toString()).toBe(original)
  })

  test('of a file that is no longer JSON reports it and changes nothing', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    writeFileSync(claude, '{ broken')
    const before = workshop.tree(workshop.root)
    expect(await catchFailure(prepareRestore(claudeCode, workshop.place))).toMatchObject({
      code: 'file.unparsable',
      line: 1,
    })
    expect((await toolStatus(claudeCode, undefined, workshop.place)).status).toBe('unreadable')
    expect(workshop.tree(workshop.root)).toEqual(before)
  })

  test('keeps a list that has grown, without our entry', async () => {
    workshop.writeFileAt(code, '{ "enabled_providers": ["anthropic"] }\n')
    await workshop.apply(openCode)
    writeFileSync(code, readFileSync(code, 'utf8').replace('"anthropic",', '"anthropic", "groq",'))
    await workshop.restore(openCode)
    expect(workshop.read(code)?.toString()).toBe('{ "enabled_providers": ["anthropic", "groq"] }\n')
  })
})

describe('a moved settings file', () => {
  test('with our settings is undone at its new name, before the key is removed', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    renameSync(code, `${code}c`)
    const plan = await workshop.restore(openCode)
    expect(plan.files.map(({ path, action }) => [path, action])).toContainEqual([`${code}c`, 'change'])
    expect(workshop.tree()).toEqual(expect.objectContaining({ '/.config/opencode/opencode.jsonc': `644 ${SETTINGS}` }))
    expect(keyFiles()).toEqual([])
  })

  test('loses our settings at the old path when they are applied at the new one', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    workshop.writeFileAt(`${code}c`, '// new\n{}\n')
    expect(await status(openCode)).toEqual({ status: 'drifted', drift: [code] })
    await workshop.apply(openCode)
    expect(workshop.read(code)?.toString()).toBe(SETTINGS)
    expect(workshop.read(`${code}c`)?.toString()).toContain('platform-companion')
    expect(await status(openCode)).toBe('configured')
    await workshop.restore(openCode)
    expect(workshop.read(`${code}c`)?.toString()).toBe('// new\n{}\n')
  })

  test('that was alone in its folder is found in the new folder', async () => {
    await workshop.apply(openCode)
    workshop.vars.XDG_CONFIG_HOME = join(workshop.home, '.config/elsewhere')
    await workshop.apply(openCode, otherRequest)
    expect(Object.keys(workshop.tree()).filter((path) => !path.endsWith('/'))).toEqual([
      '/.config/elsewhere/opencode/opencode.json',
    ])
    await workshop.restore(openCode)
    expect(workshop.tree()).toEqual({ '/': '' })
  })

  test('that replaces its link by a copy is undone in both places', async () => {
    workshop.writeFileAt(join(workshop.home, 'dotfiles/opencode.json'), SETTINGS)
    mkdirSync(join(workshop.home, '.config/opencode'), { recursive: true })
    symlinkSync(join(workshop.home, 'dotfiles/opencode.json'), code)
    await workshop.apply(openCode)
    const text = readFileSync(code)
    rmSync(code)
    writeFileSync(code, text)
    await workshop.restore(openCode)
    expect(workshop.read(code)?.toString()).toBe(SETTINGS)
    expect(workshop.read(join(workshop.home, 'dotfiles/opencode.json'))?.toString()).toBe(SETTINGS)
  })
})

describe('the record', () => {
  test('is a clear failure when damaged, naming the original, which is intact', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    const [backup = ''] = backups()
    expect(readFileSync(backup, 'utf8')).toBe(SETTINGS)
    expect(workshop.mode(backup)).toBe(0o600)
    writeFileSync(journalPath('claude-code', workshop.place), '{"version":1,')
    const configured = workshop.read(claude)
    const refusals = [
      await catchFailure(prepareRestore(claudeCode, workshop.place)),
      await catchFailure(prepareApply(claudeCode, request, workshop.place)),
    ]
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        code: 'file.unreadable',
        message: expect.stringContaining(backupFolder(workshop.place)),
      })
    expect((await toolStatus(claudeCode, undefined, workshop.place)).status).toBe('unreadable')
    expect(workshop.read(claude)).toEqual(configured)
  })

  test('without its original causes a refusal instead of a guess', async () => {
    workshop.writeFileAt(claude, SETTINGS)
    await workshop.apply(claudeCode)
    for (const backup of backups()) writeFileSync(backup, '{}')
    expect((await catchFailure(prepareRestore(claudeCode, workshop.place)))?.code).toBe('file.unreadable')
  })

  test('is not rebuilt with our own settings as the original when lost', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    rmSync(workshop.dataDir, { recursive: true })
    expect(await status(openCode)).toBe('otherwise')
    await workshop.apply(openCode)
    await workshop.restore(openCode)
    expect(JSON.parse(readFileSync(code, 'utf8'))).toEqual({
      theme: 'dark',
      $schema: 'https://opencode.ai/config.json',
    })
  })

  test('knows which plan each tool uses', async () => {
    expect(toolsUsing('plan-1')).toEqual([])
    await workshop.apply(openCode)
    await workshop.apply(claudeCode, otherRequest)
    expect(toolsUsing('plan-1')).toEqual(['opencode'])
    expect(toolsUsing('plan-2')).toEqual(['claude-code'])
    await workshop.restore(openCode)
    expect(toolsUsing('plan-1')).toEqual([])
  })
})

describe('moved comments', () => {
  const commented = '{\n  // mine\n  "theme": "dark", // very\n}\n'
  const consent = { ...request, moveCommentsToCopy: true }
  const copy = (): string => `${claude}.with-comments.jsonc`

  test('are kept byte for byte in a copy next to the file, which replaces no other file', async () => {
    workshop.writeFileAt(claude, commented)
    workshop.writeFileAt(copy(), 'somebody else’s')
    const plan = await workshop.apply(claudeCode, consent)
    const numbered = `${claude}.with-comments.2.jsonc`
    expect(plan.warnings).toContainEqual({ code: 'commentsMoved', subject: numbered })
    expect(plan.files.map(({ path, action }) => [path, action])).toEqual([
      [claude, 'change'],
      [numbered, 'create'],
    ])
    expect(workshop.read(numbered)?.toString()).toBe(commented)
    await workshop.restore(claudeCode)
    expect(workshop.read(copy())?.toString()).toBe('somebody else’s')
    expect(existsSync(numbered)).toBe(false)
    expect(workshop.read(claude)?.toString()).toBe(commented)
  })

  test('stay in the copy when the user changed it or the settings', async () => {
    workshop.writeFileAt(claude, commented)
    await workshop.apply(claudeCode, consent)
    writeFileSync(copy(), 'mine now')
    await workshop.restore(claudeCode)
    expect(workshop.read(claude)?.toString()).toBe(commented)
    expect(workshop.read(copy())?.toString()).toBe('mine now')
  })

  test('require consent again when there are new ones', async () => {
    workshop.writeFileAt(claude, commented)
    await workshop.apply(claudeCode, consent)
    await workshop.apply(claudeCode, otherRequest)
    writeFileSync(claude, readFileSync(claude, 'utf8').replace('{\n', '{\n  // new\n'))
    expect((await toolStatus(claudeCode, undefined, workshop.place)).problem?.code).toBe('file.notStrict')
    expect((await catchFailure(prepareApply(claudeCode, request, workshop.place)))?.code).toBe('file.notStrict')
    await workshop.restore(claudeCode)
    expect(readFileSync(claude, 'utf8')).toContain('// new')
  })

  test('make an unconfigured tool absent with a problem, because the tool reads nothing', async () => {
    workshop.writeFileAt(claude, commented)
    expect(await toolStatus(claudeCode, undefined, workshop.place)).toMatchObject({
      status: 'absent',
      problem: { code: 'file.notStrict', line: 2 },
    })
  })
})

describe('status', () => {
  test('lists every changed setting', async () => {
    await workshop.apply(openCode)
    const text = readFileSync(code, 'utf8')
    writeFileSync(code, text.replace('128000', '64000').replace('"small_model"', '"tiny_model"'))
    expect(await status(openCode)).toEqual({
      status: 'drifted',
      drift: ['provider.platform-companion.models.gw-large', 'small_model'],
    })
  })

  test('detects a missing or changed key file', async () => {
    await workshop.apply(openCode)
    const drifted = { status: 'drifted', drift: ['provider.platform-companion.options.apiKey'] }
    const path = join(workshop.dataDir, keyFiles()[0] ?? '')
    writeFileSync(path, 'another')
    expect(await status(openCode)).toEqual(drifted)
    rmSync(path)
    expect(await status(openCode)).toEqual(drifted)
  })

  test('compares with the current plan', async () => {
    await workshop.apply(openCode)
    const expected = { ...request, models: ['gw-large', 'gw-new'], contextTokens: 128_000 }
    expect((await toolStatus(openCode, expected, workshop.place)).drift).toEqual([
      'provider.platform-companion.models.gw-new',
      'provider.platform-companion.models.vendor/gw-coder:free',
    ])
    expect((await toolStatus(openCode, { ...request, key: otherRequest.key }, workshop.place)).drift).toEqual([
      'provider.platform-companion.options.apiKey',
    ])
    expect((await toolStatus(openCode, { ...request, key: undefined }, workshop.place)).status).toBe('configured')
  })

  test('shows where another program pointed the tool', async () => {
    workshop.writeFileAt(
      claude,
      '{ "env": { "ANTHROPIC_BASE_URL": "https://other.example.com", "ANTHROPIC_MODEL": "m" } }',
    )
    expect(await toolStatus(claudeCode, undefined, workshop.place)).toMatchObject({
      status: 'otherwise',
      found: { base: 'https://other.example.com', modelCode: 'm' },
    })
  })
})

describe('a list element', () => {
  const list = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

  test('keeps fields that its tool added when applied again, without counting as drift', async () => {
    await workshop.apply(vscodeCopilot)
    const path = workshop.getFile(vscodeCopilot)
    const [own, ...rest] = list(path)
    writeFileSync(path, JSON.stringify([...rest, { ...own, apiKey: '$'.concat('{input:chat.lm.secret.1}') }]))
    expect(await status(vscodeCopilot)).toBe('configured')
    await workshop.apply(vscodeCopilot, { ...request, contextTokens: 64_000 })
    expect(list(path)).toContainEqual(expect.objectContaining({ apiKey: '$'.concat('{input:chat.lm.secret.1}') }))
    await workshop.restore(vscodeCopilot)
    expect(existsSync(path)).toBe(false)
  })

  test('is removed even after edits, because it contains the key', async () => {
    const path = workshop.getFile(nanocoder)
    workshop.writeFileAt(path, '{ "nanocoder": { "providers": [{ "name": "mine", "models": ["m"] }] } }\n')
    const before = workshop.read(path)
    await workshop.apply(nanocoder, { ...request, delivery: 'plain' })
    writeFileSync(path, readFileSync(path, 'utf8').replace(request.gatewayUrl, 'https://elsewhere.example'))
    await workshop.restore(nanocoder)
    expect(readFileSync(path, 'utf8')).not.toContain(KEY)
    expect(workshop.read(path)).toEqual(before)
  })
})

describe('a setting that the user keeps or removes', () => {
  test('stays unchanged, is no drift, and belongs to the user when the rest is undone', async () => {
    workshop.writeFileAt(claude, '{ "env": { "ANTHROPIC_MODEL": "theirs" } }\n')
    await workshop.apply(claudeCode, { ...request, keep: ['env.ANTHROPIC_MODEL'] })
    expect(JSON.parse(readFileSync(claude, 'utf8')).env.ANTHROPIC_MODEL).toBe('theirs')
    expect((await toolStatus(claudeCode, request, workshop.place)).drift).toEqual([])
    await workshop.restore(claudeCode)
    expect(workshop.read(claude)?.toString()).toBe('{ "env": { "ANTHROPIC_MODEL": "theirs" } }\n')
  })

  test('is removed, is drift when it returns, and is restored when the rest is undone', async () => {
    const original = '{ "model": "opus", "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }\n'
    workshop.writeFileAt(claude, original)
    await workshop.apply(claudeCode, { ...request, takeOut: ['model', 'env.CLAUDE_CODE_USE_BEDROCK'] })
    const { model, env } = JSON.parse(readFileSync(claude, 'utf8'))
    expect([model, env.CLAUDE_CODE_USE_BEDROCK]).toEqual([undefined, undefined])
    expect((await toolStatus(claudeCode, request, workshop.place)).status).toBe('configured')
    writeFileSync(claude, readFileSync(claude, 'utf8').replace('{', '{ "model": "sonnet",'))
    expect((await toolStatus(claudeCode, request, workshop.place)).drift).toEqual(['model'])
    await workshop.restore(claudeCode)
    expect(workshop.read(claude)?.toString()).toBe(original)
  })

  test('is never an address without its credential', async () => {
    for (const keep of [['apiKeyHelper'], ['env.ANTHROPIC_AUTH_TOKEN', 'apiKeyHelper']])
      expect((await catchFailure(prepareApply(claudeCode, { ...request, keep }, workshop.place)))?.code).toBe(
        'vault.keyMissing',
      )
  })
})

describe('a project', () => {
  test('has its own settings besides the user’s, and each is undone separately', async () => {
    const inProject = { ...workshop.place.environment, project: workshop.home }
    const place = {
      ...workshop.place,
      environment: inProject,
      site: { kind: 'project', folder: workshop.home } as const,
    }
    await workshop.apply(claudeCode)
    await workshop.commit(await prepareApply(claudeCode, otherRequest, place))
    const local = join(workshop.home, '.claude/settings.local.json')
    expect(readFileSync(local, 'utf8')).toContain(otherRequest.gatewayUrl)
    expect(toolsUsing('plan-2')).toEqual(['claude-code'])
    await workshop.restore(claudeCode)
    expect((await toolStatus(claudeCode, undefined, place)).status).toBe('configured')
    await workshop.commit(await prepareRestore(claudeCode, place))
    expect(existsSync(local)).toBe(false)
  })
})

describe('a record of version 1', () => {
  test('can be read, compared and undone', async () => {
    workshop.writeFileAt(code, SETTINGS)
    await workshop.apply(openCode)
    const path = journalPath('opencode', workshop.place)
    const { site: _site, files, ceded: _ceded, choice, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
    const [{ id: _id, format: _format, ...file }] = files
    const { slots, ...old } = choice
    writeFileSync(
      path,
      JSON.stringify({ ...rest, ...file, version: 1, choice: { ...old, smallModelCode: slots.small } }),
    )
    expect((await toolStatus(openCode, request, workshop.place)).status).toBe('configured')
    await workshop.restore(openCode)
    expect(workshop.read(code)?.toString()).toBe(SETTINGS)
  })
})
