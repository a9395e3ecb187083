import { z } from 'zod'
import { expect, teamPlan, test } from '../support/cli-desk'
import { modelRequests, toCounts } from '../support/gateway-counts'
import { endRelays, startRelay } from '../support/relay-command'
import { codex, realTool } from './real-tools'
import { ask, putOnPath } from './tool-runs'

const Shares = z.array(
  z.object({
    id: z.string(),
    requests: z.number(),
    errors: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheTokens: z.number(),
  }),
)

const tools = [
  'claude-code',
  'opencode',
  'kilo',
  'qwen-code',
  'continue',
  'cline',
  'pi',
  'copilot-cli',
  'droid',
  'nanocoder',
]

test.afterEach(endRelays)

for (const id of tools) {
  test(`${id} works through the relay, whose token counts match the gateway`, async ({ desk }) => {
    const tool = realTool(id)
    putOnPath(tool, desk.machine)
    await desk.succeed('configure', id, '--plan', teamPlan, '--delivery', tool.delivery, '--route', 'relay')
    const relay = await startRelay(desk.machine)
    const key = relay.of(id)?.token ?? ''
    for (const prompt of ['Reply with the word PONG.', 'Say hello in Vietnamese.']) {
      const { code, err } = await ask(tool, desk.machine, { prompt, key })
      expect(code, err).toBe(0)
    }
    expect((await relay.stop()).code).toBe(0)
    const counted = modelRequests(await desk.sandbox.control('/requests'))
    expect(counted.length).toBeGreaterThanOrEqual(2)
    const shares = Shares.parse(JSON.parse(await desk.succeed('--json', 'usage', '--by', 'tool', '--source', 'relay')))
    expect(shares.find((share) => share.id === id)).toMatchObject(toCounts(counted))
  })
}

for (const id of ['claude-code', 'opencode', 'codex']) {
  test(`${id} shows why it was refused, and sends nothing more to the gateway`, async ({ desk }) => {
    // OpenCode retries each error 429 for more than a minute before it prints it.
    test.slow(id === 'opencode')
    const tool = id === codex.id ? codex : realTool(id)
    putOnPath(tool, desk.machine)
    await desk.succeed('configure', id, '--plan', teamPlan, '--delivery', tool.delivery, '--route', 'relay')
    const limit = ['--limit', '1', '--unit', 'requests', '--action', 'refuse']
    await desk.succeed('budget', 'set', 'Night shift', '--tool', id, ...limit)
    const relay = await startRelay(desk.machine)
    const key = relay.of(id)?.token ?? desk.key
    const prompt = 'Reply with the word PONG.'
    await ask(tool, desk.machine, { prompt, key })
    const stopped = await ask(tool, desk.machine, { prompt, key })
    expect(modelRequests(await desk.sandbox.control('/requests'))).toHaveLength(1)
    expect(`${stopped.out}\n${stopped.err}`).toContain('The budget "Night shift" (1 request per day) is used up')

    await desk.succeed('budget', 'remove', 'Night shift')
    await desk.succeed('configure', id, '--plan', teamPlan, '--route', 'relay', '--model', 'nova-vision')
    const { out, err } = await ask(tool, desk.machine, { prompt, key })
    expect(`${out}\n${err}`).toContain('The token allowance of model "nova-vision" in plan "sandbox-pro" is used up')
    expect((await relay.stop()).code).toBe(0)
  })
}
