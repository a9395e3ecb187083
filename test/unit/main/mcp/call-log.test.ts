import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { McpCallView } from '@shared/contract'
import { expect, it, onTestFinished } from 'vitest'
import { CallLog } from '../../../../src/main/mcp/call-log'

function openLog() {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { log: new CallLog(folder), folder: join(folder, 'logs') }
}

const call = (durationMs: number): McpCallView => ({
  ...{ at: '2026-11-20T00:00:00.000Z', toolId: 'claude-code', name: 'quota', durationMs, outcome: 'ok' },
})

it('gives the newest calls first, and leaves out a line that was cut off', () => {
  const { log, folder } = openLog()
  for (const each of [1, 2, 3]) log.add(call(each))
  appendFileSync(join(folder, 'mcp-calls.jsonl'), '{"at":"2026-')
  expect(log.list().map(({ durationMs }) => durationMs)).toEqual([3, 2, 1])
})

it('keeps the latest 200 and two files of bounded size', () => {
  const { log, folder } = openLog()
  for (let each = 0; each < 3000; each += 1) log.add(call(each))
  expect(log.list()).toHaveLength(200)
  expect(log.list()[0]?.durationMs).toBe(2999)
  expect(readdirSync(folder)).toHaveLength(2)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(110_000)
})
