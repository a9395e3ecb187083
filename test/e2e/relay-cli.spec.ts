import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Machine } from '../support/app'
import { addPlan, type CliHarness, expect, findSandboxKey, teamPlan, test } from '../support/cli-desk'
import { killRelays, startRelay } from '../support/relay-command'
import { claudeFile } from '../support/tools'

const CompletionResponse = z.object({
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
})
const UsageShares = z.array(
  z.object({
    id: z.string(),
    requests: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    errors: z.number(),
  }),
)

test.afterEach(killRelays)

/** A request with one question, as a chat tool sends it. */
const sendPrompt = (
  address: string,
  token: string,
  { stream = false, content = 'Say hello' } = {},
): Promise<Response> =>
  fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora-small', stream, messages: [{ role: 'user', content }] }),
  })

/** Reads the first chunk of a response and disconnects. */
async function cancelBody({ body }: Response): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let receivedText = ''
  while (!/"content":"[^"]/.test(receivedText)) receivedText += (await reader?.read())?.value ?? ''
  await reader?.cancel()
}

const usageByTool = async ({ succeed }: CliHarness) =>
  UsageShares.parse(JSON.parse(await succeed('usage', '--source', 'relay', '--by', 'tool', '--json')))

const relayPort = ({ dataDir }: Machine): number =>
  z
    .object({ relay: z.object({ port: z.number() }) })
    .parse(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8'))).relay.port

test('companion relay serves every tool with the key of a plan, counts each request, and exits cleanly', async ({
  harness,
}) => {
  const relay = await startRelay(harness.machine, '--port', '0', '--plan', teamPlan)
  const [openCode, pi, cline] = ['opencode', 'pi', 'cline'].map((id) => relay.of(id))
  if (!openCode || !pi || !cline) throw new Error('A tool is missing.')
  expect(openCode.address).toBe(`${relay.address}/t/opencode`)
  expect(new Set(relay.tools.map(({ token }) => token)).size).toBe(relay.tools.length)
  const answers = [
    await sendPrompt(openCode.address, openCode.token),
    await sendPrompt(openCode.address, openCode.token),
  ]
  const counts: z.infer<typeof CompletionResponse>['usage'][] = []
  for (const answer of answers) counts.push(CompletionResponse.parse(await answer.json()).usage)
  expect((await sendPrompt(openCode.address, pi.token)).status).toBe(401)
  const streamedAnswer = await sendPrompt(pi.address, pi.token, { stream: true })
  expect(await streamedAnswer.text()).toMatch(/data: \[DONE\]\s*$/)
  await cancelBody(await sendPrompt(cline.address, cline.token, { stream: true, content: 'Count to 900' }))

  expect(await relay.stop()).toMatchObject({ code: 0, said: [expect.any(String)] })
  const sum = (name: 'prompt_tokens' | 'completion_tokens') => counts.reduce((total, item) => total + item[name], 0)
  const shares = await usageByTool(harness)
  expect(shares.find(({ id }) => id === 'opencode')).toMatchObject({
    requests: 2,
    errors: 0,
    inputTokens: sum('prompt_tokens'),
    outputTokens: sum('completion_tokens'),
  })
  expect(shares.find(({ id }) => id === 'pi')).toMatchObject({ requests: 1, errors: 0 })
  const clineUsageShare = shares.find(({ id }) => id === 'cline')
  // Token counts are estimated, because the tool disconnected before the gateway reported usage.
  expect(clineUsageShare).toMatchObject({ requests: 1, errors: 1 })
  expect(clineUsageShare?.inputTokens).toBeGreaterThan(5)
  expect(clineUsageShare?.outputTokens).toBeGreaterThan(0)
  const restartedRelay = await startRelay(harness.machine, '--port', '0', '--plan', teamPlan, '--tool', 'pi')
  expect(restartedRelay.tools).toEqual([{ toolId: 'pi', address: `${restartedRelay.address}/t/pi`, token: pi.token }])
  expect((await restartedRelay.stop('SIGINT')).code).toBe(0)
})

test('a tool that uses the relay works while it runs, follows a route change, and can be restored', async ({
  harness,
}) => {
  const { machine, run, succeed, sandbox } = harness
  const configured = await succeed('configure', 'claude-code', '--plan', teamPlan, '--route', 'relay')
  const address = `http://127.0.0.1:${relayPort(machine)}/t/claude-code`
  expect(configured).toContain(`Requests go to ${address}/v1/messages\n`)
  expect(configured).toContain('note: The relay is not running')
  expect(readFileSync(claudeFile(machine), 'utf8')).toContain('key print --relay claude-code')
  const token = (await succeed('key', 'print', '--relay', 'claude-code')).trim()
  expect(token).toMatch(/^relay-/)
  const relayOffRun = await run('verify', 'claude-code')
  expect([relayOffRun.code, relayOffRun.out]).toEqual([1, expect.stringContaining('The relay does not run')])

  const relay = await startRelay(harness.machine)
  expect(relay).toMatchObject({ port: relayPort(machine), tools: [{ toolId: 'claude-code', address, token }] })
  expect(await succeed('verify', 'claude-code')).toContain('aurora-large responded')
  await addPlan(machine, {
    name: 'other-plan',
    gateway: sandbox.ready.gatewayUrl,
    key: findSandboxKey(sandbox),
    models: ['aurora-large', 'aurora-small'],
  })
  const settingsText = readFileSync(claudeFile(machine), 'utf8')
  await succeed('configure', 'claude-code', '--plan', 'other-plan', '--route', 'relay')
  expect(readFileSync(claudeFile(machine), 'utf8')).toBe(settingsText)
  const readUsedBy = async () =>
    JSON.parse(await succeed('plan', 'list', '--json')).map(
      ({ name, usedBy: users }: { name: string; usedBy: string[] }) => [name, users],
    )
  expect(await readUsedBy()).toEqual([
    [teamPlan, []],
    ['other-plan', ['claude-code']],
  ])
  const refusedRun = await run('plan', 'remove', 'other-plan')
  expect([refusedRun.code, refusedRun.err]).toEqual([
    1,
    expect.stringContaining('claude-code uses the plan other-plan'),
  ])
  await succeed('restore', 'claude-code')
  expect(existsSync(claudeFile(machine))).toBe(false)
  expect(await readUsedBy()).toEqual([
    [teamPlan, []],
    ['other-plan', []],
  ])
  // The relay must reject the token, because the tool no longer uses it.
  await expect.poll(async () => (await sendPrompt(address, token)).status).toBe(401)
  expect((await relay.stop()).code).toBe(0)
})

test('companion relay reports what is missing, and a port in use', async ({ harness }) => {
  const { run } = harness
  expect(await run('relay')).toMatchObject({ code: 2, err: expect.stringContaining('--plan') })
  expect(await run('relay', '--port', '99999')).toMatchObject({ code: 2 })
  expect(await run('relay', '--plan', teamPlan, '--tool', 'nano')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nano'),
  })
  expect(await run('key', 'print')).toMatchObject({ code: 2 })
  expect(await run('key', 'print', '--relay', 'no-tool')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no-tool is not configured for the relay'),
  })
  const relay = await startRelay(harness.machine, '--port', '0', '--plan', teamPlan, '--tool', 'pi')
  const secondRelay = await run('relay', '--port', String(relay.port), '--plan', teamPlan, '--json')
  expect(secondRelay.code).toBe(1)
  expect(JSON.parse(secondRelay.out)).toMatchObject({ ok: false, failure: { code: 'relay.portInUse' } })
  await relay.stop()
})
