import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { statusLine } from '../../../../src/main/cli/statusline'
import { readStatusCache, writeStatusCache } from '../../../../src/main/usage/quota/status-cache'
import { makeFolder } from '../../support/folders'
import { buildQuotas } from '../mcp/fake-services'

const nowMs = Date.parse('2026-11-24T14:00:00.000Z')
const template = '{model} · {plan} {tokens} · {requests} · {forecast} · {route}'
const setup = { planId: 'p1', modelCode: 'aurora-large', route: 'relay' }

function cacheAfterUsage(usedTokens: number) {
  const folder = makeFolder()
  writeStatusCache(folder, buildQuotas(usedTokens), new Date(nowMs))
  return readStatusCache(folder)
}

describe('the status line', () => {
  it.each([
    {
      what: 'the model in use',
      input: '{"model":{"id":"aurora-large","display_name":"Aurora Large"}}',
      line: 'Aurora Large · team-plan 75% left · 99 requests · runs out in 2d · relay',
    },
    {
      what: 'the configured model without input',
      input: '',
      line: 'aurora-large · team-plan 75% left · 99 requests · runs out in 2d · relay',
    },
    {
      what: 'input that is no JSON',
      input: '{"model',
      line: 'aurora-large · team-plan 75% left · 99 requests · runs out in 2d · relay',
    },
  ])('shows $what', ({ input, line }) => {
    expect(statusLine({ template, cache: cacheAfterUsage(250), setup, input, nowMs })).toBe(line)
  })

  it.each([
    { what: 'nothing at all', cache: undefined, setup: {}, input: '', line: 'Platform Companion' },
    { what: 'only a model', cache: undefined, setup: {}, input: '{"model":{"id":"m"}}', line: 'm' },
    {
      what: 'only a setup',
      cache: undefined,
      setup: { modelCode: 'm', route: 'gateway' },
      input: '[]',
      line: 'm · direct',
    },
  ])('is never blank: with $what it shows $line', (testCase) => {
    expect(statusLine({ template, nowMs, ...testCase })).toBe(testCase.line)
  })

  it('follows a template, marks old figures, and removes control characters', () => {
    const statusCache = cacheAfterUsage(250)
    expect(statusLine({ template: '[{tokens}] {nothing}', cache: statusCache, setup, input: '', nowMs })).toBe(
      '[75% left]',
    )
    expect(statusLine({ template: '{tokens}', cache: statusCache, setup, input: '', nowMs: nowMs + 7_200_000 })).toBe(
      '75% left · outdated',
    )
    const input = JSON.stringify({ model: { id: 'm', display_name: 'a\u001b[31m\u202eb' } })
    expect(statusLine({ template: '{model}', cache: undefined, setup, input, nowMs })).toBe('a[31mb')
    const prototypeTemplate = '{constructor}{toString}{__proto__}x'
    expect(statusLine({ template: prototypeTemplate, cache: undefined, setup, input: '', nowMs })).toBe(
      'Platform Companion',
    )
  })

  it('keeps figures for a day while their console is unavailable, and marks them as old', () => {
    const folder = makeFolder()
    const quotas = buildQuotas(250)
    const quotasWithoutModels = quotas.map((plan) => ({ ...plan, models: [] }))
    const renderLineAfter = (plans: typeof quotas, ms: number) => {
      writeStatusCache(folder, plans, new Date(nowMs + ms))
      const statusCache = readStatusCache(folder)
      return statusLine({ template: '{tokens}', cache: statusCache, setup, input: '', nowMs: nowMs + ms })
    }
    expect(renderLineAfter(quotas, 0)).toBe('75% left')
    expect(renderLineAfter(quotasWithoutModels, 60_000)).toBe('75% left')
    expect(renderLineAfter(quotasWithoutModels, 7_200_000)).toBe('75% left · outdated')
    expect(renderLineAfter(quotasWithoutModels, 25 * 3_600_000)).toBe('Platform Companion')
  })

  it('ignores a truncated file', () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'statusline.json'), '{"at":"2026')
    expect(readStatusCache(folder)).toBeUndefined()
  })
})
