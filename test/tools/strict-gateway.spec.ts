import { addPlan, expect, findSandboxKey, test } from '../support/cli-desk'
import { UsageShares } from '../support/gateway-counts'
import { killRelays, startRelay } from '../support/relay-command'
import { codex, realTool } from './real-tools'
import { startStrictGateway } from './strict-gateway'
import { addToPath, runPrompt } from './tool-runs'

test.afterEach(killRelays)

for (const tool of [codex, ...['claude-code', 'opencode', 'qwen-code'].map(realTool)]) {
  test(`${tool.id} finishes a session with three tool calls at a strict gateway, with exact token counts`, async ({
    harness,
  }) => {
    const { machine, succeed, sandbox, key } = harness
    addToPath(tool, machine)
    const gateway = await startStrictGateway()
    await addPlan(machine, {
      name: 'strict',
      gateway: gateway.url,
      key: findSandboxKey(sandbox),
      models: ['aurora-large'],
    })
    await succeed('configure', tool.id, '--plan', 'strict', '--delivery', tool.delivery, '--route', 'relay')
    const relay = await startRelay(machine)
    const expectedToken = relay.of(tool.id)?.token ?? key
    const { code, out, err } = await runPrompt(tool, machine, {
      prompt: 'Look for text files three times.',
      key: expectedToken,
    })
    expect(code, `${err}\n${JSON.stringify(gateway.requests)}`).toBe(0)
    expect(out).toContain('Done.')
    expect((await relay.stop()).code).toBe(0)
    await gateway.stop()

    expect(gateway.results()).toBe(3)
    const refusedRequests = gateway.requests.filter(({ status }) => status === 400)
    for (const { complaint } of refusedRequests) expect(complaint).toMatch(/stream_options|parameters/)
    const answeredRequests = gateway.requests.filter(({ status }) => status === 200)
    const sum = (tokenKind: 'input' | 'output') =>
      answeredRequests.reduce((total, { usage }) => total + usage[tokenKind], 0)
    const shares = UsageShares.parse(JSON.parse(await succeed('--json', 'usage', '--by', 'tool', '--source', 'relay')))
    expect(shares).toMatchObject([
      {
        id: tool.id,
        requests: gateway.requests.length,
        errors: refusedRequests.length,
        inputTokens: sum('input'),
        outputTokens: sum('output'),
      },
    ])
  })
}
