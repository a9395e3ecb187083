import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Machine } from '../support/app'
import { expect, teamPlan, test } from '../support/cli-desk'
import { modelRequests, toCounts } from '../support/gateway-counts'
import { realTool } from './real-tools'
import { addToPath, runPrompt } from './tool-runs'

const UsageShares = z.array(
  z.object({ requests: z.number(), inputTokens: z.number(), outputTokens: z.number(), cacheTokens: z.number() }),
)

/** Tools with logs. `unlogged`: number of small requests per run that the log omits, such as for a title. */
const logs = [
  { id: 'claude-code' },
  { id: 'opencode', unlogged: 1 },
  { id: 'kilo' },
  { id: 'qwen-code' },
  { id: 'continue' },
  { id: 'cline' },
  { id: 'pi' },
  { id: 'droid' },
]

function enableToolLog({ dataDir }: Machine, toolId: string): void {
  const path = join(dataDir, 'settings.json')
  const settings: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...settings, usage: { toolLogs: [{ toolId }], retentionDays: 400 } }))
}

for (const { id, unlogged = 0 } of logs) {
  test(`the log of ${id} matches the gateway’s token counts`, async ({ harness }) => {
    const tool = realTool(id)
    addToPath(tool, harness.machine)
    await harness.succeed('configure', id, '--plan', teamPlan, '--delivery', tool.delivery)
    for (const prompt of ['Reply with the word PONG.', 'Say hello in Vietnamese.']) {
      const { code, err } = await runPrompt(tool, harness.machine, { prompt, key: harness.key })
      expect(code, err).toBe(0)
    }
    enableToolLog(harness.machine, id)
    const countedRequests = modelRequests(await harness.sandbox.control('/requests')).toSorted(
      (a, b) => b.inputTokens + b.cacheTokens - a.inputTokens - a.cacheTokens,
    )
    const { errors: _, ...logged } = toCounts(countedRequests.slice(0, countedRequests.length - 2 * unlogged))
    const usageArgs = ['--json', 'usage', '--by', 'plan', '--source', 'tool-logs', '--plan', teamPlan]
    expect(UsageShares.parse(JSON.parse(await harness.succeed(...usageArgs)))).toEqual([logged])
  })
}
