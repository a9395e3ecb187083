import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { createToolsHarness, gatewayUrl, secret } from './support/tools-harness'

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('Tools', () => {
  it('refuses a helper command that cannot reach a key, and still offers plain text', async () => {
    const { tools, choice, apply } = await createToolsHarness({ isLocked: true })
    await expect(tools.preview(choice('claude-code'))).rejects.toMatchObject({
      failure: { code: 'vault.unavailable', field: 'delivery' },
    })
    expect((await apply('claude-code', { delivery: 'plain' })).status).toBe('configured')
  })

  it('verifies with the contents of the tool’s own file, including the helper command', async () => {
    const { tools, apply, probeRequests, commands, claude } = await createToolsHarness()
    await apply('claude-code')
    await tools.verify({ toolId: 'claude-code' })
    expect(commands).toEqual([JSON.parse(readFileSync(claude, 'utf8')).apiKeyHelper])
    expect(probeRequests.at(-1)).toMatchObject({ base: gatewayUrl, standard: 'messages', modelCode: 'large' })
    expect(probeRequests.at(-1)?.key.expose()).toBe(secret.expose())
  })

  it('verifies the address and model currently in the file, not the last written ones', async () => {
    const { tools, apply, probeRequests, openCode } = await createToolsHarness()
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
    const { tools, apply, probeRequests, commands, claude } = await createToolsHarness()
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
    const { tools, apply, probeRequests, claude } = await createToolsHarness()
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
    const { tools, apply, claude } = await createToolsHarness()
    write(claude, '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }')
    await apply('claude-code', { settingsToRemove: ['env.CLAUDE_CODE_USE_BEDROCK'] })
    const settingsText = readFileSync(claude, 'utf8')
    write(claude, settingsText.replace('"large"', '"theirs"'))
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
    const { tools, plans, plan, apply, claude } = await createToolsHarness()
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

  it('refuses to verify a tool that is not configured', async () => {
    const { tools } = await createToolsHarness()
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
    const { tools, apply, commands, claude } = await createToolsHarness()
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
  const { tools, plans, plan, apply } = await createToolsHarness()
  await apply('claude-code')
  await plans.remove(plan.id, { evenIfUsed: true })
  await expect(tools.verify({ toolId: 'claude-code' })).rejects.toThrow('was removed')
})
