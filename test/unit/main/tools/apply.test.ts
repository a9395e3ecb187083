import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { EngineContext } from '../../../../src/main/core/environment'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { commit } from '../../../../src/main/tools/commit'
import { readJournal } from '../../../../src/main/tools/journal'
import { readToolStatus } from '../../../../src/main/tools/status'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { droid } from '../../../../src/main/tools/targets/provider-tools'
import { qwenCode } from '../../../../src/main/tools/targets/qwen-code'
import { expectFailure } from '../../support/failures'
import { KEY, otherRequest, request, ToolHarness } from './support/workshop'

let harness: ToolHarness
let claude: string
beforeEach(() => {
  harness = new ToolHarness()
  claude = harness.getFile(claudeCode)
})

const model = '"ANTHROPIC_MODEL": "gw-large"'
const change = (path: string, from: string, to: string): void => {
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(from)
  writeFileSync(path, text.replace(from, to))
}
const env = (): Record<string, unknown> => JSON.parse(readFileSync(claude, 'utf8')).env
const keepModelRequest = { ...request, keep: ['env.ANTHROPIC_MODEL'] }

describe('our setting that the user changed and kept', () => {
  test.each([
    ['in a file of the user', '{\n  "theme": "dark"\n}\n', { theme: 'dark' }],
    ['in a file that we made', undefined, {}],
  ])('stays as the user made it while ours are removed (%s)', async (_name, originalText, ownSettings) => {
    if (originalText !== undefined) harness.writeFileAt(claude, originalText)
    await harness.apply(claudeCode)
    change(claude, model, '"ANTHROPIC_MODEL": "theirs"')
    change(claude, request.gatewayUrl, 'https://elsewhere.example')
    await harness.apply(claudeCode, keepModelRequest)
    expect(env()).toMatchObject({ ANTHROPIC_MODEL: 'theirs', ANTHROPIC_BASE_URL: request.gatewayUrl })
    expect((await readToolStatus(claudeCode, request, harness.place)).status).toBe('configured')
    await harness.restore(claudeCode)
    expect(JSON.parse(readFileSync(claude, 'utf8'))).toEqual({ ...ownSettings, env: { ANTHROPIC_MODEL: 'theirs' } })
  })

  test('stays removed when the user removed it', async () => {
    harness.writeFileAt(claude, '{ "env": { "ANTHROPIC_MODEL": "of old" } }\n')
    await harness.apply(claudeCode)
    change(claude, `${model},`, '')
    await harness.apply(claudeCode, keepModelRequest)
    expect(env()).not.toHaveProperty('ANTHROPIC_MODEL')
    expect((await readToolStatus(claudeCode, request, harness.place)).drift).toEqual([])
  })

  test('stays when another setting is kept later, and is ours again after a new setup', async () => {
    await harness.apply(claudeCode)
    change(claude, model, '"ANTHROPIC_MODEL": "theirs"')
    await harness.apply(claudeCode, keepModelRequest)
    change(claude, '"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "128000"', '"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "9"')
    await harness.apply(claudeCode, { ...request, keep: ['env.CLAUDE_CODE_MAX_CONTEXT_TOKENS'] })
    expect(env()).toMatchObject({ ANTHROPIC_MODEL: 'theirs', CLAUDE_CODE_MAX_CONTEXT_TOKENS: '9' })
    await harness.apply(claudeCode, { ...request, keep: [] })
    expect(env()).toMatchObject({ ANTHROPIC_MODEL: 'theirs', CLAUDE_CODE_MAX_CONTEXT_TOKENS: '9' })
    await harness.apply(claudeCode)
    expect(env()).toMatchObject({ ANTHROPIC_MODEL: 'gw-large', CLAUDE_CODE_MAX_CONTEXT_TOKENS: '128000' })
  })

  test('may be the member of a list', async () => {
    const path = harness.getFile(openCode)
    harness.writeFileAt(path, '{ "enabled_providers": ["theirs"] }\n')
    await harness.apply(openCode)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/,\s*"platform-companion"\s*\]/, ']'))
    await harness.apply(openCode, { ...request, keep: ['enabled_providers'] })
    expect(JSON.parse(readFileSync(path, 'utf8')).enabled_providers).toEqual(['theirs'])
  })

  test('may be both address and key of a file that then contains nothing of ours', async () => {
    const secrets = join(harness.home, '.qwen/.env')
    await harness.apply(qwenCode)
    change(secrets, KEY, 'their-own-key')
    const baseUrl = (url: string): string => `"baseUrl": "${url}/v1"\n  }`
    change(harness.getFile(qwenCode), baseUrl(request.gatewayUrl), baseUrl('https://theirs.example'))
    await harness.apply(qwenCode, { ...request, keep: ['env: COMPANION_QWEN_KEY', 'model.baseUrl'] })
    expect(readFileSync(secrets, 'utf8')).toContain('their-own-key')
    expect(JSON.parse(readFileSync(harness.getFile(qwenCode), 'utf8')).model.baseUrl).toBe('https://theirs.example/v1')
    await harness.restore(qwenCode)
    expect(readFileSync(secrets, 'utf8')).toContain('their-own-key')
  })
})

describe('our key', () => {
  test('is never left with a foreign address', async () => {
    await harness.apply(claudeCode, { ...request, delivery: 'plain' })
    change(claude, request.gatewayUrl, 'https://elsewhere.example')
    const namesToKeep = ['env.ANTHROPIC_BASE_URL', 'env.ANTHROPIC_AUTH_TOKEN']
    await harness.apply(claudeCode, { ...request, delivery: 'plain', keep: namesToKeep })
    expect(env()).toMatchObject({ ANTHROPIC_BASE_URL: 'https://elsewhere.example' })
    expect(readFileSync(claude, 'utf8')).not.toContain(KEY)
  })

  test('is not handed over within a kept setting', async () => {
    const plainRequest: ToolRequest = { ...request, delivery: 'plain' }
    await harness.apply(droid, plainRequest)
    const path = harness.getFile(droid)
    change(path, '"maxContextLimit": 128000', '"maxContextLimit": 9')
    const treeBefore = harness.tree(harness.root)
    const keep = [`customModels[custom:platform-companion/gw-large]`]
    await expectFailure(prepareApply(droid, { ...plainRequest, keep }, harness.place), 'input.invalid')
    expect(harness.tree(harness.root)).toEqual(treeBefore)
  })

  test('is in no kept setting, whatever else the tool’s settings contain', async () => {
    const settings = harness.getFile(qwenCode)
    await harness.apply(qwenCode)
    change(settings, '"selectedType": "openai"', '"selectedType": "qwen-oauth"')
    await harness.apply(qwenCode, otherRequest)
    await harness.restore(qwenCode)
    for (const [path, content] of Object.entries(harness.tree(join(harness.dataDir, 'tools'))))
      expect([path, content.includes(KEY)]).toEqual([path, false])
  })
})

test.each([
  ['as it was written', (text: string) => text],
  ['that its tool wrote again in another order', reverseEnvOrder],
])('restoring a value in a file %s moves no other line', async (_name, rewritten) => {
  harness.writeFileAt(
    claude,
    '{\n  "theme": "dark",\n  "env": {\n    "ANTHROPIC_MODEL": "of old",\n    "TERM": "dumb"\n  }\n}\n',
  )
  await harness.apply(claudeCode)
  const rewrittenText = rewritten(readFileSync(claude, 'utf8'))
  writeFileSync(claude, rewrittenText.replace('gw-large', 'theirs'))
  const [settings] = (await harness.apply(claudeCode)).files
  expect(settings?.lines.filter(({ kind }) => kind === 'added' || kind === 'removed')).toHaveLength(2)
  expect(readFileSync(claude, 'utf8')).toBe(rewrittenText)
  expect((await readToolStatus(claudeCode, request, harness.place)).status).toBe('configured')
  await harness.restore(claudeCode)
  expect(JSON.parse(readFileSync(claude, 'utf8'))).toEqual({
    theme: 'dark',
    env: { ANTHROPIC_MODEL: 'of old', TERM: 'dumb' },
  })
})

/** The same settings in a different order, as written by a tool that sorts them. */
function reverseEnvOrder(text: string): string {
  const { env, ...rest } = JSON.parse(text)
  const sorted = Object.fromEntries(Object.entries(env).sort(([a], [b]) => b.localeCompare(a)))
  return `${JSON.stringify({ env: sorted, ...rest }, null, 2)}\n`
}

test('the age of a setup is that of its write, not of its preview', async () => {
  const at = (time: string): EngineContext => ({ ...harness.place, clock: () => new Date(`2026-11-21T${time}Z`) })
  const plan = await prepareApply(claudeCode, request, at('10:00:00'))
  await commit([plan], at('10:20:00'))
  expect((await readJournal(claudeCode.id, harness.place)).journal?.at).toBe('2026-11-21T10:20:00.000Z')
})

describe('a key in plain text', () => {
  const repository = (): string => join(harness.home, 'dotfiles')
  const link = (): string => join(repository(), 'claude.json')
  const warnings = async (delivery: 'plain' | 'helper') =>
    (await prepareApply(claudeCode, { ...request, delivery }, harness.place)).warnings
      .filter(({ code }) => code === 'keyInRepository')
      .map(({ subject }) => subject)

  beforeEach(() => {
    harness.writeFileAt(link(), '{}\n')
    execFileSync('git', ['init', '-q', repository()])
    mkdirSync(join(harness.home, '.claude'))
    symlinkSync(link(), claude)
  })

  test('in a file that is linked into a repository is reported by its path there', async () => {
    expect(await warnings('plain')).toEqual([link()])
    expect(await warnings('helper')).toEqual([])
  })

  test('is not reported when the repository ignores the file, unless it tracks it', async () => {
    harness.writeFileAt(join(repository(), '.gitignore'), '*.json\n')
    expect(await warnings('plain')).toEqual([])
    execFileSync('git', ['-C', repository(), 'add', '--force', 'claude.json'])
    expect(await warnings('plain')).toEqual([link()])
  })
})
