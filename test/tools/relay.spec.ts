import { expect, teamPlan, test } from '../support/cli-desk'
import { modelRequests, toCounts, UsageShares } from '../support/gateway-counts'
import { killRelays, startRelay } from '../support/relay-command'
import { codex, realTool } from './real-tools'
import { addToPath, runPrompt } from './tool-runs'

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

test.afterEach(killRelays)

for (const id of tools) {
  test(`${id} works through the relay, whose token counts match the gateway`, async ({ harness }) => {
    const tool = realTool(id)
    addToPath(tool, harness.machine)
    await harness.succeed('configure', id, '--plan', teamPlan, '--delivery', tool.delivery, '--route', 'relay')
    const relay = await startRelay(harness.machine)
    const key = relay.of(id)?.token ?? ''
    for (const prompt of ['Reply with the word PONG.', 'Say hello in Vietnamese.']) {
      const { code, err } = await runPrompt(tool, harness.machine, { prompt, key })
      expect(code, err).toBe(0)
    }
    expect((await relay.stop()).code).toBe(0)
    const countedRequests = modelRequests(await harness.sandbox.control('/requests'))
    expect(countedRequests.length).toBeGreaterThanOrEqual(2)
    const shares = UsageShares.parse(
      JSON.parse(await harness.succeed('--json', 'usage', '--by', 'tool', '--source', 'relay')),
    )
    expect(shares.find((share) => share.id === id)).toMatchObject(toCounts(countedRequests))
  })
}

for (const id of ['claude-code', 'opencode', 'codex']) {
  test(`${id} shows why it was refused, and sends nothing more to the gateway`, async ({ harness }) => {
    // OpenCode retries each error 429 for more than a minute before it prints it.
    test.slow(id === 'opencode')
    const tool = id === codex.id ? codex : realTool(id)
    addToPath(tool, harness.machine)
    await harness.succeed('configure', id, '--plan', teamPlan, '--delivery', tool.delivery, '--route', 'relay')
    const limit = ['--limit', '1', '--unit', 'requests', '--action', 'refuse']
    await harness.succeed('budget', 'set', 'Night shift', '--tool', id, ...limit)
    const relay = await startRelay(harness.machine)
    const key = relay.of(id)?.token ?? harness.key
    const prompt = 'Reply with the word PONG.'
    await runPrompt(tool, harness.machine, { prompt, key })
    const stoppedAnswer = await runPrompt(tool, harness.machine, { prompt, key })
    expect(modelRequests(await harness.sandbox.control('/requests'))).toHaveLength(1)
    expect(`${stoppedAnswer.out}\n${stoppedAnswer.err}`).toContain(
      'The budget "Night shift" (1 request per day) is used up',
    )

    await harness.succeed('budget', 'remove', 'Night shift')
    await harness.succeed('configure', id, '--plan', teamPlan, '--route', 'relay', '--model', 'nova-vision')
    const { out, err } = await runPrompt(tool, harness.machine, { prompt, key })
    expect(`${out}\n${err}`).toContain('The token allowance of model "nova-vision" in plan "sandbox-pro" is used up')
    expect((await relay.stop()).code).toBe(0)
  })
}
