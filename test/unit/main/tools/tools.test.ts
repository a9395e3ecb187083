import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Site } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { Profiles, switchImmediately } from '../../../../src/main/tools/profiles/profiles'
import { expectFailure } from '../../support/failures'
import { checkedAt, createToolsHarness, gatewayUrl, secret } from './support/tools-harness'

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Changes a file like its user. */
const edit = (path: string, from: string, to: string): void => write(path, readFileSync(path, 'utf8').replace(from, to))

describe('Tools', () => {
  it('refuses a command that cannot reach a key, and still offers plain text', async () => {
    const { tools, choice, apply } = await createToolsHarness({ isLocked: true })
    for (const refusedChoice of [choice('claude-code'), choice('opencode', { delivery: 'env' })])
      await expectFailure(tools.preview(refusedChoice), {
        code: 'vault.unavailable',
        field: 'delivery',
        message: expect.stringContaining('Install a keyring.'),
      })
    expect((await apply('claude-code', { delivery: 'plain' })).status).toBe('configured')
  })

  it('refuses a key that its plan does not have', async () => {
    const { tools, choice, plans, plan } = await createToolsHarness()
    const preview = (keyId?: string) => tools.preview(choice('claude-code', { keyId }))
    await expect(preview('k9')).rejects.toThrow('The plan team no longer has this key.')
    await plans.removeKey(plan.id, plan.keys[0]?.id ?? '')
    await expect(preview()).rejects.toThrow('The plan team has no key.')
  })

  it('verifies the address and model currently in the file, not the last written ones', async () => {
    const { tools, apply, probeRequests, openCode } = await createToolsHarness()
    await apply('opencode')
    edit(openCode, `${gatewayUrl}/v1`, `${gatewayUrl}/v1/v1`)
    edit(openCode, '"platform-companion/large"', '"platform-companion/other"')
    await tools.verify({ toolId: 'opencode' })
    const base = `${gatewayUrl}/v1/v1`
    expect(probeRequests.at(-1)).toMatchObject({ base, modelCode: 'other', standard: 'chat-completions' })
  })

  it('sends no key to another host, and runs no foreign helper command', async () => {
    const { tools, apply, probeRequests, commands, claude } = await createToolsHarness()
    await apply('claude-code')
    const text = readFileSync(claude, 'utf8')
    write(claude, text.replace(gatewayUrl, 'https://elsewhere.example.com'))
    await expectFailure(tools.verify({ toolId: 'claude-code' }), 'tool.otherGateway')
    write(claude, text.replace('/app/bin/companion', 'rm'))
    await expectFailure(tools.verify({ toolId: 'claude-code' }), 'tool.helperFailed')
    expect([probeRequests, commands]).toEqual([[], []])
  })

  it('does not report a tool as working when its own setting redirects it', async () => {
    const { tools, apply, probeRequests, claude } = await createToolsHarness()
    await apply('claude-code')
    edit(claude, '"env": {', '"env": { "CLAUDE_CODE_USE_BEDROCK": "1",')
    expect(await tools.view('claude-code')).toMatchObject({
      status: 'configured',
      conflicts: [{ code: 'otherProviderSwitch', subject: 'env.CLAUDE_CODE_USE_BEDROCK', fix: 'takeOut' }],
    })
    await expectFailure(tools.verify({ toolId: 'claude-code' }), 'tool.overridden')
    expect(probeRequests).toEqual([])
    expect(tools.watchedFiles()).toContain('/etc/codex/managed_config.toml')
  })

  it('keeps removed settings removed when a value is restored', async () => {
    const { tools, apply, claude } = await createToolsHarness()
    write(claude, '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }')
    await apply('claude-code', { settingsToRemove: ['env.CLAUDE_CODE_USE_BEDROCK'] })
    const settingsText = readFileSync(claude, 'utf8')
    edit(claude, '"large"', '"theirs"')
    await apply('claude-code')
    expect(readFileSync(claude, 'utf8')).toBe(settingsText)
    expect((await tools.view('claude-code')).conflicts).toBeUndefined()
  })

  it('updates a tool that contains a copy of the old key, and leaves a changed file alone', async () => {
    const { tools, plans, plan, apply, openCode } = await createToolsHarness()
    await apply('opencode')
    const keyFile = /\{file:([^}]+)\}/.exec(readFileSync(openCode, 'utf8'))?.[1] ?? ''
    expect(readFileSync(keyFile, 'utf8')).toBe(secret.expose())
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', new Secret('sk-tools-new-0123456789ab'))
    await tools.renewKeyFiles(plan.id)
    expect(readFileSync(keyFile, 'utf8')).toBe('sk-tools-new-0123456789ab')
    edit(openCode, '"platform-companion/large"', '"platform-companion/other"')
    const driftedText = readFileSync(openCode, 'utf8')
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', secret)
    await tools.renewKeyFiles(plan.id)
    expect(readFileSync(openCode, 'utf8')).toBe(driftedText)
    expect(readFileSync(keyFile, 'utf8')).toBe('sk-tools-new-0123456789ab')
  })

  it('replaces a tool’s key without changing settings that the user removed or kept', async () => {
    const { tools, plans, plan, apply, restore, claude } = await createToolsHarness()
    write(claude, '{ "model": "opus", "env": { "ANTHROPIC_MODEL": "theirs" } }')
    await apply('claude-code', { delivery: 'plain', settingsToRemove: ['model'], keep: ['env.ANTHROPIC_MODEL'] })
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', new Secret('sk-tools-new-0123456789ab'))
    await tools.renewKeyFiles(plan.id)
    const { model, env } = JSON.parse(readFileSync(claude, 'utf8'))
    const key = 'sk-tools-new-0123456789ab'
    expect([model, env.ANTHROPIC_MODEL, env.ANTHROPIC_AUTH_TOKEN]).toEqual([undefined, 'theirs', key])
    await restore('claude-code')
    expect(readFileSync(claude, 'utf8')).toBe('{ "model": "opus", "env": { "ANTHROPIC_MODEL": "theirs" } }')
  })

  it('refuses to verify a tool that is not configured', async () => {
    const { tools } = await createToolsHarness()
    await expectFailure(tools.verify({ toolId: 'opencode' }), 'tool.notConfigured')
  })
})

it.each([
  ['rest after a semicolon', (ownCommand: string) => `${ownCommand}; touch /tmp/x`],
  ['a program whose name begins like ours', (ownCommand: string) => ownCommand.replace('companion', 'companion-evil')],
  ['a command before ours', (ownCommand: string) => `true && ${ownCommand}`],
  ['a substitution', (ownCommand: string) => `${ownCommand} $(id)`],
])('a helper command in the settings is not run with %s', async (_name, change) => {
  const { tools, apply, commands, claude } = await createToolsHarness()
  await apply('claude-code')
  const settings = JSON.parse(readFileSync(claude, 'utf8'))
  write(claude, JSON.stringify({ ...settings, apiKeyHelper: change(settings.apiKeyHelper) }))
  await expectFailure(tools.verify({ toolId: 'claude-code' }), 'tool.helperFailed')
  expect(commands).toEqual([])
})

it('reports that the plan of a tool was removed', async () => {
  const { tools, plans, plan, apply } = await createToolsHarness()
  await apply('claude-code')
  await plans.remove(plan.id, { evenIfUsed: true })
  await expect(tools.verify({ toolId: 'claude-code' })).rejects.toThrow('was removed')
})

const root = 'http://127.0.0.1:4870/t/claude-code'

async function createHarness() {
  const harness = await createToolsHarness({ route: 'relay' })
  return { ...harness, claude: () => JSON.parse(readFileSync(harness.claude, 'utf8')) }
}

describe('a tool that uses the relay', () => {
  it('gets the relay’s address, its own token and the plan’s models, but no key', async () => {
    const { tools, choice, claude, plan, ways, world } = await createHarness()
    const preview = await tools.preview(choice('claude-code'))
    expect(preview).toMatchObject({ base: root, requestAddress: `${root}/v1/messages`, setsWay: true })
    expect(preview.warnings).toContainEqual({ code: 'relayNeeded', subject: root })
    expect(ways()).toEqual([])
    const view = await tools.carryOut(preview.previewId)
    expect(view).toMatchObject({
      status: 'configured',
      routes: ['gateway', 'relay'],
      applied: { route: 'relay', planId: plan.id, delivery: 'helper' },
    })
    expect(view).not.toHaveProperty('relayOff')
    expect(claude()).toMatchObject({
      apiKeyHelper: '/app/bin/companion key print --relay claude-code',
      env: { ANTHROPIC_BASE_URL: root, ANTHROPIC_MODEL: 'large' },
    })
    expect([ways(), world.isOn]).toEqual([
      [{ toolId: 'claude-code', planId: plan.id, keyId: plan.keys[0]?.id, failover: [] }],
      true,
    ])
  })

  it.each([
    ['opencode', 'file', '/v1"'],
    ['qwen-code', 'envFile', '/v1"'],
    ['cline', 'plain', '/v1"'],
    ['goose', 'env', '/v1/chat/completions"'],
  ] as const)('of the kind of %s (%s) matches its write, is verified and restored', async (toolId, delivery, end) => {
    const { tools, apply, restore, probeRequests, relay, ways } = await createHarness()
    const { status, drift, files } = await apply(toolId, { delivery })
    expect([status, drift]).toEqual(['configured', []])
    const texts = files.flatMap(({ path }) => (existsSync(path) ? [readFileSync(path, 'utf8')] : []))
    expect(texts.join()).toContain(`http://127.0.0.1:4870/t/${toolId}${end}`)
    await tools.verify({ toolId })
    const [question] = probeRequests
    expect(question?.requestAddress).toBe(`http://127.0.0.1:4870/t/${toolId}/v1/chat/completions`)
    expect(question?.key.isSame(await relay.readToken(toolId))).toBe(true)
    await restore(toolId)
    expect([ways(), files.filter(({ path }) => existsSync(path))]).toEqual([[], []])
  })

  it('switches to another plan without changing a file, and shows what the relay uses for it', async () => {
    const { tools, apply, settings, spare, claude, ways, plans } = await createHarness()
    await apply('claude-code')
    const settingsBefore = claude()
    const [route] = ways()
    const secondRoute = { toolId: 'claude-code', planId: spare.id, failover: [] }
    settings.update(({ relay }) => ({ relay: { ...relay, ways: [secondRoute] } }))
    const [view] = await tools.list()
    expect(view).toMatchObject({ status: 'configured', applied: { planId: spare.id, planName: 'spare' } })
    expect((await tools.setups()).map(({ choice }) => choice)).toMatchObject([{ planId: spare.id, route: 'relay' }])
    expect(plans.list().map(({ name, usedBy }) => [name, usedBy])).toEqual([
      ['team', []],
      ['spare', ['claude-code']],
    ])
    settings.update(({ relay }) => ({
      relay: { ...relay, ways: [{ ...secondRoute, failover: [{ planId: route?.planId ?? '' }] }] },
    }))
    expect(plans.list().map(({ usedBy }) => usedBy)).toEqual([['claude-code'], ['claude-code']])
    await expectFailure(plans.remove('team'), 'plan.inUse')
    expect(claude()).toEqual(settingsBefore)
  })

  it('is outdated, not modified by the user, after the relay’s port has changed, until it is configured again', async () => {
    const { home, tools, apply, settings, claude } = await createHarness()
    await apply('claude-code')
    settings.update((record) => ({ ...record, relay: { ...record.relay, port: 4999 } }))
    expect(await tools.view('claude-code')).toMatchObject({ status: 'drifted', isOutdated: true })
    await apply('claude-code')
    expect(await tools.view('claude-code')).toMatchObject({ status: 'configured' })
    expect(claude().env.ANTHROPIC_BASE_URL).toContain(':4999/')
    edit(join(home, '.claude/settings.json'), '"large"', '"own"')
    expect(await tools.view('claude-code')).not.toHaveProperty('isOutdated')
  })

  it('shows and reports on verification that the relay is off', async () => {
    const { tools, apply, world, answer } = await createHarness()
    await apply('claude-code')
    world.isOn = false
    expect((await tools.view('claude-code')).relayOff).toBe(true)
    const failure = { code: 'net.refused', message: 'Refused.' } as const
    answer.view = { ok: false, at: checkedAt, standard: 'messages', requestAddress: root, durationMs: 1, failure }
    expect(await tools.verify({ toolId: 'claude-code' })).toMatchObject({ ok: false, failure: { code: 'relay.off' } })
  })

  it('returns to its gateway together with others, each with its best delivery', async () => {
    const { tools, apply, choice, claude, world, ways, plan } = await createHarness()
    await apply('claude-code')
    await apply('opencode', { delivery: 'plain' })
    world.isOn = false
    const choices = ['claude-code', 'opencode'].map((toolId) => choice(toolId, { route: 'gateway' }))
    const preview = await tools.previewMany(choices)
    expect([preview.left, preview.tools.map(({ setsWay }) => setsWay)]).toEqual([[], [undefined, undefined]])
    const views = await tools.carryOutMany(preview.previewId)
    const gatewaySetup = { status: 'configured', applied: { route: 'gateway' } }
    expect(views).toMatchObject([gatewaySetup, gatewaySetup])
    expect(views.map(({ applied, relayOff }) => [applied?.delivery, relayOff])).toEqual([
      ['helper', undefined],
      ['file', undefined],
    ])
    expect(claude()).toMatchObject({
      apiKeyHelper: `/app/bin/companion key print --plan ${plan.id} --key ${plan.keys[0]?.id}`,
      env: { ANTHROPIC_BASE_URL: gatewayUrl },
    })
    expect(ways()).toEqual([])
  })

  it('keeps its route while it points to the relay from another setup', async () => {
    const { apply, restore, home, ways } = await createHarness()
    const site: Site = { kind: 'project', folder: home }
    await apply('claude-code')
    await apply('claude-code', { site })
    await restore('claude-code')
    expect(ways()).toHaveLength(1)
    await restore('claude-code', site)
    expect(ways()).toEqual([])
  })

  it('is not written when the relay cannot start', async () => {
    const { apply, world, home, ways } = await createHarness()
    world.failure = { code: 'relay.portInUse', message: 'Taken.' }
    await expectFailure(apply('claude-code'), 'relay.portInUse')
    expect([existsSync(join(home, '.claude')), ways()]).toEqual([false, []])
  })

  it('is refused in a WSL distribution, which may not reach the relay', async () => {
    const { tools, choice } = await createHarness()
    const wslChoice = choice('claude-code', { site: { kind: 'wsl', distribution: 'Ubuntu' } })
    const refusal = { code: 'input.invalid', field: 'route' }
    await expectFailure(tools.preview(wslChoice), refusal)
  })

  it('gets its token and exact files back when a write is rewound', async () => {
    const { tools, apply, claude, home, ways } = await createHarness()
    await apply('opencode', { delivery: 'plain' })
    const file = join(home, '.config/opencode/opencode.json')
    const textBefore = readFileSync(file, 'utf8')
    await apply('opencode', { route: 'gateway' })
    const [newest] = await tools.history('opencode')
    await tools.carryOutMany((await tools.previewRewind(newest?.id ?? '')).previewId)
    expect(readFileSync(file, 'utf8')).toBe(textBefore)
    expect(ways()).toMatchObject([{ toolId: 'opencode' }])
    expect(claude).toThrow()
  })

  it('keeps its token when the key of its plan is replaced', async () => {
    const { tools, apply, plans, plan, home } = await createHarness()
    await apply('opencode', { delivery: 'plain' })
    const file = join(home, '.config/opencode/opencode.json')
    const textBefore = readFileSync(file, 'utf8')
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', new Secret('sk-another-0123456789abcd'))
    await tools.renewKeyFiles(plan.id)
    expect(readFileSync(file, 'utf8')).toBe(textBefore)
    expect(await tools.history()).toHaveLength(1)
  })

  it('has a route in profiles, and switching only changes the route where no file changes', async () => {
    const { settings, plans, tools, apply, spare, plan, ways, clock } = await createHarness()
    const profiles = new Profiles({ settings, plans, tools, clock })
    await apply('claude-code')
    const savedProfile = await profiles.saveCurrent('relayed')
    expect(savedProfile).toMatchObject({ isActive: true, entries: [{ route: 'relay' }] })
    await apply('claude-code', { planId: spare.id })
    expect((await profiles.list())[0]?.isActive).toBe(false)
    const preview = () => profiles.previewUse(savedProfile.id)
    const applyMany = (id: string) => tools.carryOutMany(id)
    expect(await switchImmediately({ preview, applyMany })).toEqual({ outcome: 'switched' })
    expect([ways()[0]?.planId, (await profiles.list())[0]?.isActive]).toEqual([plan.id, true])
    await apply('claude-code', { route: 'gateway' })
    expect((await profiles.list())[0]?.isActive).toBe(false)
    const parsedProfile = await profiles.read(profiles.exportText(savedProfile.id).text)
    const planIds = { 'plan-1': plan.id }
    const importedProfile = await profiles.import({ importId: parsedProfile.importId, name: 'again', plans: planIds })
    expect(importedProfile.entries).toMatchObject([{ toolId: 'claude-code', route: 'relay' }])
  })

  it('is shown as text for its gateway, since the relay cannot be reached from elsewhere', async () => {
    const { tools, choice } = await createHarness()
    const snippets = await tools.snippets(choice('claude-code'))
    expect(snippets.map(({ text }) => text).join()).not.toContain('127.0.0.1')
    expect(snippets[0]?.text).toContain(gatewayUrl)
  })
})
