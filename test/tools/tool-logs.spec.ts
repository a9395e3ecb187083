import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Machine } from '../support/app'
import { expect, teamPlan, test } from '../support/cli-desk'
import { modelRequests, toCounts } from '../support/gateway-counts'
import { realTool } from './real-tools'
import { ask, putOnPath } from './tool-runs'

const Shares = z.array(
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

function switchOn({ dataDir }: Machine, toolId: string): void {
  const path = join(dataDir, 'settings.json')
  const settings: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...settings, usage: { toolLogs: [{ toolId }], retentionDays: 400 } }))
}

for (const { id, unlogged = 0 } of logs) {
  test(`the log of ${id} matches the gateway’s token counts`, async ({ desk }) => {
    const tool = realTool(id)
    putOnPath(tool, desk.machine)
    await desk.succeed('configure', id, '--plan', teamPlan, '--delivery', tool.delivery)
    for (const prompt of ['Reply with the word PONG.', 'Say hello in Vietnamese.']) {
      const { code, err } = await ask(tool, desk.machine, { prompt, key: desk.key })
      expect(code, err).toBe(0)
    }
    switchOn(desk.machine, id)
    const counted = modelRequests(await desk.sandbox.control('/requests')).toSorted(
      (a, b) => b.inputTokens + b.cacheTokens - a.inputTokens - a.cacheTokens,
    )
    const { errors: _, ...logged } = toCounts(counted.slice(0, counted.length - 2 * unlogged))
    const told = ['--json', 'usage', '--by', 'plan', '--source', 'tool-logs', '--plan', teamPlan]
    expect(Shares.parse(JSON.parse(await desk.succeed(...told)))).toEqual([logged])
  })
}
