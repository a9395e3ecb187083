import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CheckView, ToolChoice } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { createEnvironment } from '../../../../src/main/core/environment'
import { realDisk } from '../../../../src/main/core/files/disk'
import { Secret } from '../../../../src/main/core/secret'
import { createVault } from '../../../../src/main/core/vault/vault'
import type { GatewayProbeRequest } from '../../../../src/main/gateway/probe'
import { Plans } from '../../../../src/main/plans/plans'
import { findKeyUses } from '../../../../src/main/tools/key-uses'
import { Tools } from '../../../../src/main/tools/tools'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memorySettings } from '../../../support/memory-settings'
import { createRoutes } from '../../../support/routes'
import { makeFolder } from '../../support/folders'

const secret = new Secret('sk-tools-0123456789abcdefgh')
const gatewayUrl = 'https://gw.example.com'
const passedCheck: CheckView = {
  ok: true,
  at: '2026-01-01T00:00:00.000Z',
  standard: 'messages',
  requestAddress: 'x',
  durationMs: 1,
}

interface ToolsInput {
  readonly isLocked?: boolean
  /** Environment variables of a newly opened terminal. */
  readonly shellVariables?: Readonly<Record<string, string>>
}

async function createHarness({ isLocked = false, shellVariables = {} }: ToolsInput = {}) {
  const folder = makeFolder()
  const dataDir = join(folder, 'data')
  const home = join(folder, 'home')
  const clock = () => new Date('2026-01-01T00:00:00Z')
  const keychain = new MemoryKeychain()
  keychain.isLocked = isLocked
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: true })
  const probeRequests: GatewayProbeRequest[] = []
  const check = async (question: GatewayProbeRequest) => {
    probeRequests.push(question)
    return passedCheck
  }
  const settings = memorySettings()
  const findUses = () => findKeyUses({ dataDir, settings })
  const relayState = { isRelayOn: false }
  const relay = createRoutes({ settings, vault, isAnswered: () => relayState.isRelayOn })
  const plans = new Plans({ settings, vault, check, clock, findUses })
  const commands: string[] = []
  const environment = createEnvironment({ home, platform: 'linux', vars: { HOME: home } })
  const engineContext = { environment, dataDir, disk: realDisk, clock }
  let launcherEnsureCount = 0
  const tools = new Tools({
    plans,
    vault,
    relay,
    check,
    listModels: async () => ({ kind: 'unknown' }),
    machine: {
      place: engineContext,
      distributions: { list: async () => [], open: () => Promise.reject(new Error('none')) },
    },
    loginShell: async () => shellVariables,
    detect: async () => ({ installed: true, version: '1.2.3' }),
    launcher: {
      path: '/app/bin/companion',
      ensure: () => {
        launcherEnsureCount += 1
      },
    },
    runHelper: async (command) => {
      commands.push(command)
      return `${secret.expose()}\n`
    },
  })
  const plan = await plans.add({ name: 'team', gatewayUrl, models: ['large', 'small'] }, secret)
  const claude = join(home, '.claude', 'settings.json')
  const openCode = join(home, '.config', 'opencode', 'opencode.json')
  const buildChoice = (toolId: string, overrides: Partial<ToolChoice> = {}): ToolChoice => ({
    toolId,
    planId: plan.id,
    modelCode: 'large',
    ...overrides,
  })
  const apply = async (toolId: string, overrides: Partial<ToolChoice> = {}) =>
    tools.carryOut((await tools.preview(buildChoice(toolId, overrides))).previewId)
  return {
    tools,
    plans,
    plan,
    settings,
    relay,
    vault,
    standing: relayState,
    probeRequests,
    commands,
    ensured: () => launcherEnsureCount,
    claude,
    openCode,
    choice: buildChoice,
    apply,
    dataDir,
    folder,
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('Tools', () => {
  it('writes nothing for a preview, and exactly the preview when it is applied', async () => {
    const { tools, choice, ensured, folder, claude } = await createHarness()
    const preview = await tools.preview(choice('claude-code'))
    expect(preview).toMatchObject({ requestAddress: `${gatewayUrl}/v1/messages`, base: gatewayUrl, kind: 'apply' })
    expect([existsSync(join(folder, 'home')), existsSync(join(folder, 'data')), ensured()]).toEqual([false, false, 0])
    const view = await tools.carryOut(preview.previewId)
    expect(view).toMatchObject({ status: 'configured', applied: { planName: 'team', delivery: 'helper' } })
    expect(JSON.parse(readFileSync(claude, 'utf8')).apiKeyHelper).toMatch(/^\/app\/bin\/companion key print --plan /)
    expect(ensured()).toBe(1)
  })

  it('applies a preview once', async () => {
    const { tools, choice } = await createHarness()
    const { previewId } = await tools.preview(choice('opencode'))
    await tools.carryOut(previewId)
    await expect(tools.carryOut(previewId)).rejects.toMatchObject({ failure: { code: 'file.changed' } })
  })

  it('refuses a helper command that cannot reach a key, and still offers plain text', async () => {
    const { tools, choice, apply } = await createHarness({ isLocked: true })
    await expect(tools.preview(choice('claude-code'))).rejects.toMatchObject({
      failure: { code: 'vault.unavailable', field: 'delivery' },
    })
    expect((await apply('claude-code', { delivery: 'plain' })).status).toBe('configured')
  })

  it('verifies with the contents of the tool’s own file, including the helper command', async () => {
    const { tools, apply, probeRequests, commands, claude } = await createHarness()
    await apply('claude-code')
    await tools.verify({ toolId: 'claude-code' })
    expect(commands).toEqual([JSON.parse(readFileSync(claude, 'utf8')).apiKeyHelper])
    expect(probeRequests.at(-1)).toMatchObject({ base: gatewayUrl, standard: 'messages', modelCode: 'large' })
    expect(probeRequests.at(-1)?.key.expose()).toBe(secret.expose())
  })

  it('verifies the address and model currently in the file, not the last written ones', async () => {
    const { tools, apply, probeRequests, openCode } = await createHarness()
    await apply('opencode')
    const text = readFileSync(openCode, 'utf8')
    write(
      openCode,
      text
        .replace(`${gatewayUrl}/v1`, `${gatewayUrl}/v1/v1`)
        .replace('"platform-companion/large"', '"platform-companion/other"'),
    )
    await tools.verify({ toolId: 'opencode' })
    expect(probeRequests.at(-1)).toMatchObject({
      base: `${gatewayUrl}/v1/v1`,
      modelCode: 'other',
      standard: 'chat-completions',
    })
  })

  it('sends no key to another host, and runs no foreign helper command', async () => {
    const { tools, apply, probeRequests, commands, claude } = await createHarness()
    await apply('claude-code')
    const text = readFileSync(claude, 'utf8')
    write(claude, text.replace(gatewayUrl, 'https://elsewhere.example.com'))
    await expect(tools.verify({ toolId: 'claude-code' })).rejects.toMatchObject({
      failure: { code: 'tool.otherGateway' },
    })
    write(claude, text.replace('/app/bin/companion', 'rm'))
    await expect(tools.verify({ toolId: 'claude-code' })).rejects.toMatchObject({
      failure: { code: 'tool.helperFailed' },
    })
    expect([probeRequests, commands]).toEqual([[], []])
  })

  it('does not report a tool as working when its own setting redirects it', async () => {
    const { tools, apply, probeRequests, claude } = await createHarness()
    await apply('claude-code')
    const text = readFileSync(claude, 'utf8')
    write(claude, text.replace('"env": {', '"env": { "CLAUDE_CODE_USE_BEDROCK": "1",'))
    expect(await tools.view('claude-code')).toMatchObject({
      status: 'configured',
      conflicts: [{ code: 'otherProviderSwitch', subject: 'env.CLAUDE_CODE_USE_BEDROCK', fix: 'takeOut' }],
    })
    await expect(tools.verify({ toolId: 'claude-code' })).rejects.toMatchObject({
      failure: { code: 'tool.overridden' },
    })
    expect(probeRequests).toEqual([])
    expect(tools.watchedFiles()).toContain('/etc/codex/managed_config.toml')
  })

  it('keeps removed settings removed when a value is restored', async () => {
    const { tools, apply, claude } = await createHarness()
    write(claude, '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }')
    await apply('claude-code', { settingsToRemove: ['env.CLAUDE_CODE_USE_BEDROCK'] })
    const settingsText = readFileSync(claude, 'utf8')
    write(claude, settingsText.replace('"large"', '"theirs"'))
    await apply('claude-code')
    expect(readFileSync(claude, 'utf8')).toBe(settingsText)
    expect((await tools.view('claude-code')).conflicts).toBeUndefined()
  })

  it('shows drift when the plan’s address changes, and what an undo restores', async () => {
    const { tools, plans, plan, apply, claude } = await createHarness()
    write(claude, '{ "theme": "dark" }')
    await apply('claude-code')
    plans.update(plan.id, { name: 'team', gatewayUrl: 'https://new.example.com', models: ['large'] })
    const [view] = await tools.list()
    expect(view).toMatchObject({ status: 'drifted', drift: expect.arrayContaining(['env.ANTHROPIC_BASE_URL']) })
    await tools.carryOut((await tools.previewRestore({ toolId: 'claude-code' })).previewId)
    expect(readFileSync(claude, 'utf8')).toBe('{ "theme": "dark" }')
    expect(plans.list()[0]?.usedBy).toEqual([])
  })

  it('updates a tool that contains a copy of the old key, and leaves a changed file alone', async () => {
    const { tools, plans, plan, apply, openCode } = await createHarness()
    await apply('opencode')
    const keyFile = /\{file:([^}]+)\}/.exec(readFileSync(openCode, 'utf8'))?.[1] ?? ''
    expect(readFileSync(keyFile, 'utf8')).toBe(secret.expose())
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', new Secret('sk-tools-new-0123456789ab'))
    await tools.renewKeyFiles(plan.id)
    expect(readFileSync(keyFile, 'utf8')).toBe('sk-tools-new-0123456789ab')
    const driftedText = readFileSync(openCode, 'utf8').replace(
      '"platform-companion/large"',
      '"platform-companion/other"',
    )
    write(openCode, driftedText)
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', secret)
    await tools.renewKeyFiles(plan.id)
    expect(readFileSync(openCode, 'utf8')).toBe(driftedText)
    expect(readFileSync(keyFile, 'utf8')).toBe('sk-tools-new-0123456789ab')
  })

  it('replaces a tool’s key without changing settings that the user removed or kept', async () => {
    const { tools, plans, plan, apply, claude } = await createHarness()
    write(claude, '{ "model": "opus", "env": { "ANTHROPIC_MODEL": "theirs" } }')
    await apply('claude-code', { delivery: 'plain', settingsToRemove: ['model'], keep: ['env.ANTHROPIC_MODEL'] })
    await plans.replaceKey(plan.id, plan.keys[0]?.id ?? '', new Secret('sk-tools-new-0123456789ab'))
    await tools.renewKeyFiles(plan.id)
    const { model, env } = JSON.parse(readFileSync(claude, 'utf8'))
    expect([model, env.ANTHROPIC_MODEL, env.ANTHROPIC_AUTH_TOKEN]).toEqual([
      undefined,
      'theirs',
      'sk-tools-new-0123456789ab',
    ])
    await tools.carryOut((await tools.previewRestore({ toolId: 'claude-code' })).previewId)
    expect(readFileSync(claude, 'utf8')).toBe('{ "model": "opus", "env": { "ANTHROPIC_MODEL": "theirs" } }')
  })

  it('lists the existing tools when asked for an unknown one', async () => {
    const { tools } = await createHarness()
    await expect(tools.previewRestore({ toolId: 'nope' })).rejects.toThrow('claude-code, opencode, kilo')
    await expect(tools.verify({ toolId: 'opencode' })).rejects.toMatchObject({
      failure: { code: 'tool.notConfigured' },
    })
  })
})

describe('a helper command in the settings', () => {
  it.each([
    ['rest after a semicolon', (ownCommand: string) => `${ownCommand}; touch /tmp/x`],
    [
      'a program whose name begins like ours',
      (ownCommand: string) => ownCommand.replace('companion', 'companion-evil'),
    ],
    ['a command before ours', (ownCommand: string) => `true && ${ownCommand}`],
    ['a substitution', (ownCommand: string) => `${ownCommand} $(id)`],
  ])('is not run with %s', async (_name, change) => {
    const { tools, apply, commands, claude } = await createHarness()
    await apply('claude-code')
    const settings = JSON.parse(readFileSync(claude, 'utf8'))
    write(claude, JSON.stringify({ ...settings, apiKeyHelper: change(settings.apiKeyHelper) }))
    await expect(tools.verify({ toolId: 'claude-code' })).rejects.toMatchObject({
      failure: { code: 'tool.helperFailed' },
    })
    expect(commands).toEqual([])
  })
})

it('reports that the plan of a tool was removed', async () => {
  const { tools, plans, plan, apply } = await createHarness()
  await apply('claude-code')
  await plans.remove(plan.id, { evenIfUsed: true })
  await expect(tools.verify({ toolId: 'claude-code' })).rejects.toThrow('was removed')
})
