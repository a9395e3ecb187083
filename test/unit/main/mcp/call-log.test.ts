import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { McpCallView } from '@shared/contract'
import { expect, it } from 'vitest'
import { CallLog } from '../../../../src/main/mcp/call-log'
import { makeFolder } from '../../support/folders'

function openLog(recordsArguments?: () => boolean) {
  const folder = makeFolder()
  return { log: new CallLog(folder, recordsArguments), folder: join(folder, 'logs') }
}

const call = (durationMs: number): McpCallView => ({
  at: '2026-11-20T00:00:00.000Z',
  toolId: 'claude-code',
  name: 'quota',
  durationMs,
  outcome: 'ok',
})

it('returns the newest calls first, and omits a truncated line', () => {
  const { log, folder } = openLog()
  for (const item of [1, 2, 3]) log.add(call(item))
  appendFileSync(join(folder, 'mcp-calls.jsonl'), '{"at":"2026-')
  expect(log.list().map(({ durationMs }) => durationMs)).toEqual([3, 2, 1])
})

it('keeps the latest 200 calls in two files of bounded size', () => {
  const { log, folder } = openLog()
  for (let item = 0; item < 3000; item += 1) log.add(call(item))
  expect(log.list()).toHaveLength(200)
  expect(log.list()[0]?.durationMs).toBe(2999)
  expect(readdirSync(folder)).toHaveLength(2)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(110_000)
})

const key = 'sk-abcdefghijklmnopqrstuvwx'

it('stores shortened arguments only while recording is on, without keys and invisible characters', () => {
  let isLogEnabled = false
  const { log, folder } = openLog(() => isLogEnabled)
  log.add(call(1), { prompt: 'before' })
  isLogEnabled = true
  log.add(call(2), { prompt: `a ${key} \u001b[31m\u0085\u202e x-api-key: "quoted-value"` })
  log.add(call(3), { prompt: 'é'.repeat(5000) })
  log.add(call(4), undefined)
  const [none, longCall, masked, firstCall] = log.list()
  expect(none?.arguments).toBe('{}')
  expect(longCall?.arguments).toBe(`{"prompt":"${'é'.repeat(1989)}…`)
  expect(masked?.arguments).toBe(String.raw`{"prompt":"a [secret] \u001b[31m\u0085\u202e x-api-key: \"[secret]\""}`)
  expect(firstCall).toEqual(call(1))
  expect(readFileSync(join(folder, 'mcp-calls.jsonl'), 'utf8')).not.toMatch(/sk-abc|quoted-value|before/)
})

it('removes the arguments of both files when recording ends, and keeps the calls', () => {
  let isLogEnabled = true
  const { log, folder } = openLog(() => isLogEnabled)
  for (let item = 0; item < 60; item += 1) log.add(call(item), { prompt: 'told '.repeat(400) })
  const callsBefore = log.list()
  expect(readdirSync(folder)).toHaveLength(2)
  isLogEnabled = false
  log.forgetArguments()
  expect(log.list()).toEqual(callsBefore.map(({ arguments: _, ...rest }) => rest))
  for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain('told')
  expect(readdirSync(folder)).toHaveLength(2)
})

it('does not store arguments of a call that waited while recording was switched off', () => {
  const answers = [true, false]
  const { log } = openLog(() => answers.shift() === true)
  log.add(call(1), { prompt: 'late' })
  expect(log.list()).toEqual([call(1)])
})
