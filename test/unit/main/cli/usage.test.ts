import { usage as contract, type UsageSources } from '@shared/contract'
import type { UsageFilter, UsageSeries } from '@shared/contract/usage'
import { describe, expect, it } from 'vitest'
import { addUsageCommand } from '../../../../src/main/cli/monitoring'
import { parseTime, type UsageContext } from '../../../../src/main/cli/usage-show'
import { createAccountHarness, runAddedCommand } from './desk'

const counts = { requests: 12, errors: 1, inputTokens: 1_234_567, outputTokens: 890, cacheTokens: 0 }
const zeroUsage = { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }
const toLocalIso = (day: number, hour = 0): string => new Date(2026, 10, day, hour).toISOString()

async function startUsageHarness(series: Partial<UsageSeries> = {}, toolLogs: UsageSources['toolLogs'] = []) {
  const harness = await createAccountHarness()
  const queries: { filter: UsageFilter; step?: string; by?: string }[] = []
  const events: string[] = []
  const context: Omit<UsageContext, 'output'> = {
    core: harness.core,
    usage: async () => ({
      readToolLogs: async () => {
        events.push('read')
        return { relay: { requests: 0 }, app: { requests: 0 }, toolLogs, consoles: [] }
      },
      series: async ({ filter, step }) => {
        queries.push({ filter, step })
        const buckets = [20, 21].map((day) => ({ start: toLocalIso(day), ...(day === 20 ? zeroUsage : counts) }))
        return { step, buckets, totals: counts, at: toLocalIso(22), ...series }
      },
      shares: async ({ filter, by }) => {
        queries.push({ filter, by })
        const deletedKeyUsage = { id: 'k9', ...zeroUsage }
        return [{ id: 'k1', name: 'ci\u001b[2J', ...counts }, deletedKeyUsage, { id: '', ...zeroUsage }]
      },
    }),
    tightestLine: async () => 'team · aurora-large 12% left (tokens)',
    close: async () => void events.push('closed'),
  }
  const run = (...args: readonly string[]) => runAddedCommand(addUsageCommand, context, ['usage', ...args])
  return { run, queries, done: events, core: harness.core }
}

describe('companion usage', () => {
  it('shows aligned figures with their sum and source', async () => {
    const { run, done } = await startUsageHarness({ knownFrom: toLocalIso(20, 9) })
    const { out } = await run('--from', '2026-11-01', '--to', '2026-11-21')
    expect(out.split('\n')).toEqual([
      'FROM        REQUESTS  ERRORS      INPUT  OUTPUT  CACHE     TOKENS',
      '2026-11-20         0       0          0       0      0          0',
      '2026-11-21        12       1  1,234,567     890      0  1,235,457',
      'TOTAL             12       1  1,234,567     890      0  1,235,457',
      '',
      '2026-11-01 00:00 to 2026-11-22 00:00, counted on this computer by relay, tool logs and app, each request once. No data before 2026-11-20 09:00.',
      '',
    ])
    expect(done).toEqual(['read', 'closed'])
  })

  it.each([
    [0, 1, 'The log format of OpenCode is not understood, so its usage is missing (/home/an/opencode).\n'],
    [7, 1, 'The log of OpenCode has 1 unreadable entry, whose usage is missing (/home/an/opencode).\n'],
    [7, 0, ''],
  ])('describes a log with %i requests and %i unreadable entries', async (requests, notUnderstood, text) => {
    const log = { toolId: 'opencode', toolName: 'OpenCode', folder: '/home/an/opencode', exists: true, enabled: true }
    const { run } = await startUsageHarness({}, [{ ...log, requests, notUnderstood }])
    expect((await run()).err).toBe(text)
    expect((await run('--source', 'console', '--plan', 'team-pro')).err).toBe('')
  })

  it('shows parts by name, including removed and unknown ones', async () => {
    const { run, queries } = await startUsageHarness()
    const { out } = await run('--by', 'key', '--source', 'relay', '--tool', 'pi', '--model', 'aurora-large')
    expect(out).toMatch(/^KEY .*\nci\[2J +12 .*\nk9 \(deleted\) +0 .*\n\(unknown\) +0 /)
    expect(queries).toMatchObject([{ by: 'key', filter: { scope: 'relay', toolId: 'pi', modelCode: 'aurora-large' } }])
  })

  it('prints JSON in the form of the contract, and CSV', async () => {
    const { run } = await startUsageHarness()
    contract['usage.series'].output.parse(JSON.parse((await run('--json')).out))
    contract['usage.shares'].output.parse(JSON.parse((await run('--json', '--by', 'model')).out))
    expect((await run('--csv', '--by', 'week')).out).toMatch(/^Start,Requests,.*,Source\r\n.*,machine\r\n/)
    expect((await run('--csv', '--by', 'model')).out).toMatch(/^model,Id,Requests,.*\r\n.*k1,12,/)
  })

  it('finds plan and key by name on this computer, and at the account for the console', async () => {
    const { run, queries, core } = await startUsageHarness()
    const [handed] = core.plans.list()
    await run('--plan', 'handed', '--key', 'default-key')
    await run('--source', 'console', '--plan', 'team', '--key', 'default-key')
    expect(queries.map(({ filter: { planId, keyId } }) => [planId, keyId])).toEqual([
      [handed?.id, handed?.keys[0]?.id],
      ['p1', 'k1'],
    ])
  })

  it('shows the tightest quota in one line', async () => {
    const { run, queries, done } = await startUsageHarness()
    expect((await run('--line')).out).toBe('team · aurora-large 12% left (tokens)\n')
    expect([queries, done]).toEqual([[], ['closed']])
  })

  it('explains the next step when nothing is known', async () => {
    const { run } = await startUsageHarness({ buckets: [], totals: zeroUsage })
    expect((await run()).out).toMatch(/^No requests in this period on this computer\./)
  })

  it.each([
    ['a console without a plan', ['--source', 'console'], 'input.invalid'],
    ['a console of a plan that is not there', ['--source', 'console', '--plan', 'gone'], 'plan.notFound'],
    ['a console of a handed-over plan', ['--source', 'console', '--plan', 'handed'], 'input.invalid'],
    ['a key that is not there', ['--key', 'gone'], 'key.notFound'],
    ['an end before the beginning', ['--from', 'today', '--to', '2020-01-01'], 'input.invalid'],
    ['a day that is none', ['--from', '2026-02-30'], 'input.invalid'],
    ['a period that is too long', ['--from', '2000-01-01', '--to', '2026-11-20', '--by', 'hour'], 'input.invalid'],
    ['another step', ['--by', 'year'], 'commander.invalidArgument'],
  ])('is refused for %s', async (_, args, code) => {
    const { run, queries, done } = await startUsageHarness()
    expect((await run(...args)).failure).toMatchObject({ code })
    expect(queries).toEqual([])
    expect(done).not.toContain('read')
  })
})

describe('spans', () => {
  const currentTime = { nowMs: Date.parse('2026-11-21T09:30:00+07:00'), zone: 'Asia/Ho_Chi_Minh' }

  it.each([
    ['today', '2026-11-21T00:00+07:00', '2026-11-22T00:00+07:00'],
    ['month', '2026-11-01T00:00+07:00', '2026-12-01T00:00+07:00'],
    ['7d', '2026-11-15T00:00+07:00', '2026-11-15T00:00+07:00'],
    ['2w', '2026-11-08T00:00+07:00', '2026-11-08T00:00+07:00'],
    ['24h', '2026-11-20T10:00+07:00', '2026-11-20T10:00+07:00'],
    ['2026-11-03', '2026-11-03T00:00+07:00', '2026-11-04T00:00+07:00'],
    ['2026-11-03T08:15Z', '2026-11-03T08:15Z', '2026-11-03T08:15Z'],
    ['now', '2026-11-21T09:30+07:00', '2026-11-21T09:30+07:00'],
  ])('%s starts and ends in local time', (text, from, to) => {
    expect(parseTime(text, 'from', currentTime)).toBe(Date.parse(from))
    expect(parseTime(text, 'to', currentTime)).toBe(Date.parse(to))
  })

  it.each(['', '0d', 'tomorrow', '2026-13-01', '11/21/2026', '2026', '1e3d'])('"%s" is invalid', (text) => {
    expect(() => parseTime(text, 'from', currentTime)).toThrow(/use a day/)
  })
})
