import { z } from 'zod'
import { expect, teamPlan, test } from '../support/cli-desk'
import { countsOf, modelRequests } from '../support/gateway-counts'
import { endRelays, startRelay } from '../support/relay-command'
import { realTool } from './real-tools'
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
  test(`${id} works through the relay, and is counted as the gateway counts it, to the token`, async ({ desk }) => {
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
    expect(shares.find((share) => share.id === id)).toMatchObject(countsOf(counted))
  })
}

test('Claude Code tells its person which budget stopped it, and asks the gateway for nothing more', async ({
  desk,
}) => {
  const tool = realTool('claude-code')
  putOnPath(tool, desk.machine)
  await desk.succeed('configure', tool.id, '--plan', teamPlan, '--delivery', tool.delivery, '--route', 'relay')
  const limit = ['--limit', '1', '--unit', 'requests', '--action', 'refuse']
  await desk.succeed('budget', 'set', 'Night shift', '--tool', tool.id, ...limit)
  const relay = await startRelay(desk.machine)
  const key = relay.of(tool.id)?.token ?? ''
  const answers: string[] = []
  for (const prompt of ['Reply with the word PONG.', 'Say hello in Vietnamese.']) {
    const { out, err } = await ask(tool, desk.machine, { prompt, key })
    answers.push(`${out}\n${err}`)
  }
  expect(modelRequests(await desk.sandbox.control('/requests'))).toHaveLength(1)
  expect(answers[1]).toContain('The budget "Night shift" (1 request per day) is used up')
  expect((await relay.stop()).code).toBe(0)
})
