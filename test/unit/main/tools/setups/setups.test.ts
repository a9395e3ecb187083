import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { type Entry, readHistory, writeEntry } from '../../../../../src/main/tools/history'
import { createToolsHarness, gatewayUrl, secret } from '../support/tools-harness'

const toolId = 'claude-code'
const models = ['large', 'small']

describe('a tool without a setup', () => {
  it('is shown with its abilities and its file path', async () => {
    const { tools, claude } = await createToolsHarness()
    expect(await tools.view(toolId)).toMatchObject({
      id: toolId,
      kind: 'written',
      installed: true,
      version: '1.2.3',
      triedVersion: expect.any(String),
      deliveries: ['helper', 'plain'],
      slots: [
        { id: 'opus', isSmall: false },
        { id: 'sonnet', isSmall: false },
        { id: 'small', isSmall: true },
        { id: 'subagent', isSmall: false },
      ],
      status: 'absent',
      drift: [],
      file: claude,
      files: [{ exists: false }],
      setups: [],
    })
  })

  it('that was configured otherwise is shown with its current target', async () => {
    const { tools, claude } = await createToolsHarness()
    mkdirSync(dirname(claude), { recursive: true })
    writeFileSync(claude, '{"env": {"ANTHROPIC_BASE_URL": "https://else.example.com", "ANTHROPIC_MODEL": "theirs"}}')
    const view = await tools.view(toolId)
    const found = { base: 'https://else.example.com', modelCode: 'theirs' }
    expect(view).toMatchObject({ status: 'otherwise', found })
    expect(view.applied).toBeUndefined()
  })

  test.each([
    ['cursor', { kind: 'guided', deliveries: [], status: 'absent' }],
    ['codex', { kind: 'written', routes: ['relay'], status: 'absent', speaks: 'responses' }],
    // VSCodium has no Copilot Chat.
    ['vscode-copilot', { kind: 'unsupported', reason: 'platform' }],
  ])('%s shows its state', async (id, expectedView) => {
    const { tools, home } = await createToolsHarness()
    mkdirSync(join(home, '.config/VSCodium'), { recursive: true })
    expect(await tools.view(id)).toMatchObject(expectedView)
  })
})

describe('a configured tool', () => {
  it('is shown with the current names of plan and key', async () => {
    const { tools, plans, plan, apply } = await createToolsHarness()
    const { keys } = await plans.keepKey(plan.id, { name: 'second' }, secret)
    await apply(toolId, { keyId: keys.at(-1)?.id, slots: { small: 'small' } })
    plans.update(plan.id, { name: 'renamed', gatewayUrl, models })
    const names = { planId: plan.id, planName: 'renamed', keyName: 'second' }
    const choice = { modelCode: 'large', slots: { small: 'small' }, delivery: 'helper' }
    const applied = { ...names, ...choice, requestAddress: `${gatewayUrl}/v1/messages` }
    expect(await tools.view(toolId)).toMatchObject({ status: 'configured', applied })
  })

  it('drifts when its plan’s address changes, and is compared with the last write once its key or plan is gone', async () => {
    const { tools, plans, plan, apply } = await createToolsHarness()
    const { keys } = await plans.keepKey(plan.id, { name: 'second' }, secret)
    const keyId = keys.at(-1)?.id
    await apply(toolId, { keyId })
    plans.update(plan.id, { name: 'team', gatewayUrl: 'https://moved.example.com', models })
    expect(await tools.view(toolId)).toMatchObject({ status: 'drifted', drift: ['env.ANTHROPIC_BASE_URL'] })
    await plans.removeKey(plan.id, keyId ?? '')
    const withoutKey = await tools.view(toolId)
    expect(withoutKey).toMatchObject({ status: 'configured', applied: { planName: 'team', keyId } })
    expect(withoutKey.applied?.keyName).toBeUndefined()
    await plans.remove(plan.id, { evenIfUsed: true })
    const withoutPlan = await tools.view(toolId)
    expect(withoutPlan).toMatchObject({ status: 'configured', applied: { planId: plan.id } })
    expect(withoutPlan.applied?.planName).toBeUndefined()
  })

  it('in a project has a separate setup, shown even when the folder is missing', async () => {
    const { tools, apply, home } = await createToolsHarness()
    const folder = join(home, 'shop')
    mkdirSync(folder, { recursive: true })
    await apply(toolId)
    await apply(toolId, { site: { kind: 'project', folder } })
    const applied = { planName: 'team', modelCode: 'large' }
    const setup = { site: { kind: 'project', folder }, status: 'configured', applied }
    expect(await tools.view(toolId)).toMatchObject({ status: 'configured', setups: [setup] })
    rmSync(folder, { recursive: true })
    const missingSetup = { status: 'unreadable', file: folder, problem: { code: 'file.unreadable' }, applied }
    expect(await tools.view(toolId)).toMatchObject({ status: 'configured', setups: [missingSetup] })
  })
})

describe('a write', () => {
  it('is in the history with its files, and without a plan name once the plan was removed', async () => {
    const { tools, plans, plan, apply, restore, claude } = await createToolsHarness()
    await apply(toolId)
    for (let count = 0; count < 2; count += 1) await apply(toolId, { modelCode: 'small' })
    await restore(toolId)
    await plans.remove(plan.id, { evenIfUsed: true })
    const writes = (await tools.history()).flatMap((entry) => entry.tools)
    const expectedFiles = ['delete', 'none', 'change', 'create'].map((action) => [{ path: claude, action }])
    expect(writes.map(({ files }) => files)).toEqual(expectedFiles)
    expect(writes[0]).toMatchObject({ modelCode: 'small' })
    expect(writes[0]).not.toHaveProperty('planName')
  })

  test.each<[Entry['state'], string[]]>([
    ['begun', []],
    ['written', ['done']],
    ['undone', ['undone']],
  ])('in the state %s is shown as %j', async (state, expectedStates) => {
    const { tools, apply, machine } = await createToolsHarness()
    await apply(toolId)
    const [entry] = await readHistory(machine.place)
    if (entry) await writeEntry({ ...entry, state }, machine.place)
    expect((await tools.history()).map((view) => view.state)).toEqual(expectedStates)
  })

  it('that was interrupted is undone and shown as undone', async () => {
    const { tools, apply, machine, claude } = await createToolsHarness()
    await apply(toolId)
    const [entry] = await readHistory(machine.place)
    if (entry) await writeEntry({ ...entry, state: 'begun' }, machine.place)
    // Undo the last step of the write, which saved the tool's record.
    writeFileSync(join(machine.place.dataDir, 'tools', `${toolId}.json`), '{}')
    const undone = [{ toolId, site: { kind: 'user' }, at: entry?.at }]
    expect(await tools.recover()).toEqual({ undone, left: [] })
    expect(existsSync(dirname(claude))).toBe(false)
    expect((await tools.history()).map(({ state }) => state)).toEqual(['undone'])
  })

  it('of a key in plain text is restored with the key of its plan', async () => {
    const { tools, apply, restore, claude } = await createToolsHarness()
    await apply(toolId, { delivery: 'plain' })
    const text = readFileSync(claude, 'utf8')
    await restore(toolId)
    const [entry] = await tools.history()
    await tools.carryOutMany((await tools.previewRewind(entry?.id ?? '')).previewId)
    expect(readFileSync(claude, 'utf8')).toBe(text)
  })
})

it('a preview shows only permitted fields, is applied once, and expires after twenty others', async () => {
  const { tools, choice } = await createToolsHarness()
  const first = await tools.preview(choice(toolId))
  const fields = ['base', 'files', 'kind', 'previewId', 'requestAddress', 'site', 'toolId', 'warnings']
  expect(Object.keys(first).sort()).toEqual(fields)
  const ids: string[] = []
  for (let count = 0; count < 20; count += 1) ids.push((await tools.preview(choice(toolId))).previewId)
  await expect(tools.carryOut(first.previewId)).rejects.toThrow('This preview has expired. Preview the changes again.')
  await tools.carryOut(ids[0] ?? '')
  await expect(tools.carryOut(ids[0] ?? '')).rejects.toMatchObject({ failure: { code: 'file.changed' } })
})

describe('manual setup instructions', () => {
  const cursor = { toolId: 'cursor', modelCode: 'large' }

  it('contain the fields of the tool’s form, with the key to copy', async () => {
    const { tools, plan } = await createToolsHarness()
    const guide = tools.guide({ ...cursor, planId: plan.id })
    expect(guide).toMatchObject({
      place: ['Cursor Settings', 'Models', 'API Keys'],
      fields: [
        { label: 'OpenAI API Key' },
        { label: 'Override OpenAI Base URL', value: `${gatewayUrl}/v1` },
        { label: 'Add or search model', value: 'large' },
      ],
      requestAddress: `${gatewayUrl}/v1/chat/completions`,
    })
    expect(guide.fields[0]).not.toHaveProperty('value')
    expect(JSON.stringify(guide)).not.toContain(secret.expose())
  })

  it('warn that the tool maker’s servers cannot reach a local gateway', async () => {
    const { tools, plans, plan } = await createToolsHarness()
    const localUrl = 'http://127.0.0.1:4860'
    const { id: planId } = await plans.add({ name: 'local', gatewayUrl: localUrl, models }, secret)
    const warning = { code: 'remoteMaker', subject: localUrl }
    expect(tools.guide({ ...cursor, planId }).warnings).toContainEqual(warning)
    expect(tools.guide({ ...cursor, planId, toolId: 'cherry-studio' }).warnings).not.toContainEqual(warning)
    expect(JSON.stringify(tools.guide({ ...cursor, planId: plan.id }))).not.toContain('remoteMaker')
  })

  it('are verified with one request in the tool’s form, with the selected key', async () => {
    const { tools, plans, plan, probeRequests } = await createToolsHarness()
    const secondSecret = new Secret('sk-second-0123456789abcdefg')
    const { keys } = await plans.keepKey(plan.id, { name: 'second' }, secondSecret)
    const guideChoice = { ...cursor, planId: plan.id, keyId: keys.at(-1)?.id }
    expect(await tools.checkGuide(guideChoice)).toMatchObject({ ok: true })
    const requestAddress = `${gatewayUrl}/v1/chat/completions`
    expect(probeRequests).toMatchObject([{ standard: 'chat-completions', requestAddress, modelCode: 'large' }])
    expect(probeRequests[0]?.key.isSame(secondSecret)).toBe(true)
  })

  it('fail for a removed plan or key before anything is sent', async () => {
    const { tools, plans, plan, probeRequests } = await createToolsHarness()
    await plans.removeKey(plan.id, plan.keys[0]?.id ?? '')
    expect(() => tools.guide({ ...cursor, planId: 'none' })).toThrow('Plan none not found.')
    const check = tools.checkGuide({ ...cursor, planId: plan.id })
    await expect(check).rejects.toMatchObject({ failure: { code: 'key.notFound' } })
    expect(probeRequests).toEqual([])
  })
})

describe('warnings before writing', () => {
  it('are empty when nothing overrides', async () => {
    const { tools, choice } = await createToolsHarness()
    expect((await tools.preview(choice(toolId))).warnings).toEqual([])
  })

  it('contain that support for a tool is based on its documentation only', async () => {
    const { tools, choice } = await createToolsHarness()
    expect((await tools.preview(choice('junie'))).warnings).toContainEqual({ code: 'notTried' })
    expect((await tools.preview(choice('opencode'))).warnings).not.toContainEqual({ code: 'notTried' })
  })

  test.each([
    ['linux', '/bin/bash', 'export KEY="$(COMMAND)"'],
    ['darwin', '/bin/zsh', 'export KEY="$(COMMAND)"'],
    ['linux', '/usr/bin/fish', 'set -gx KEY (COMMAND)'],
    ['win32', '', '$env:KEY = & COMMAND'],
  ] as const)('contain the command that sets the key on %s in %s', async (platform, SHELL, line) => {
    const { tools, choice, plan } = await createToolsHarness({ platform, vars: { SHELL } })
    const { warnings } = await tools.preview(choice('opencode', { delivery: 'env' }))
    const subject = 'COMPANION_OPENCODE_KEY'
    const command = `/app/bin/companion key print --plan ${plan.id} --key ${plan.keys[0]?.id}`
    const text = line.replace('KEY', subject).replace('COMMAND', command)
    expect(warnings).toContainEqual({ code: 'variableNeeded', subject, fix: 'copyLine', text })
  })
})

test.each([
  [toolId, 'helper', '#!/bin/sh\nexec companion "$@"\n', true],
  ['opencode', 'env', '#!/bin/sh\nexec companion "$@"\n', true],
  [toolId, 'helper', undefined, false],
  ['opencode', 'file', '#!/bin/sh\nexec companion "$@"\n', false],
] as const)('the preview of %s with the key by %s shows a missing launcher line by line: %j', async (...row) => {
  const [tool, delivery, lostLauncher, isShown] = row
  const { tools, choice, apply } = await createToolsHarness({ lostLauncher })
  await apply(tool, { delivery })
  const { files } = await tools.preview(choice(tool, { delivery }))
  const lines = [
    { kind: 'added', text: '#!/bin/sh', newLine: 1 },
    { kind: 'added', text: 'exec companion "$@"', newLine: 2 },
  ]
  const launcher = { path: '/app/bin/companion', action: 'create', holdsKey: false, lines }
  expect(files.filter(({ path }) => path === launcher.path)).toEqual(isShown ? [launcher] : [])
})
