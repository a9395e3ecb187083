import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { previewStatusLine, printStatusLine } from '../../../../src/main/cli/statusline'
import { statusInputVariable } from '../../../../src/main/core/launcher/command-arguments'
import { readStatusCache, writeStatusCache } from '../../../../src/main/usage/quota/status-cache'
import { makeFolder } from '../../support/folders'
import { buildQuotas } from '../mcp/fake-services'

const nowMs = Date.parse('2026-11-24T14:00:00.000Z')
const template = '{model} · {plan} {tokens} · {requests} · {forecast} · {route}'
const setup = { planId: 'p1', modelCode: 'aurora-large', route: 'relay' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** A data folder with quotas and a tool that was set up. */
function makeDataFolder(choice?: object, usedTokens?: number): string {
  const folder = makeFolder()
  if (usedTokens !== undefined) writeStatusCache(folder, buildQuotas(usedTokens), new Date(nowMs))
  mkdirSync(join(folder, 'tools'))
  if (choice) writeFileSync(join(folder, 'tools/claude-code.json'), JSON.stringify({ choice }))
  return folder
}

function printLine(folder: string, template: string, input: string): Promise<string> {
  vi.stubEnv(statusInputVariable, input)
  return printStatusLine(folder, { template, tool: 'claude-code' })
}

describe('the status line', () => {
  it.each([
    ['the model in use', '{"model":{"id":"aurora-large","display_name":"Aurora Large"}}', 'Aurora Large'],
    ['the configured model without input', '', 'aurora-large'],
    ['the configured model with input that is no JSON', '{"model', 'aurora-large'],
  ])('shows %s', async (_, input, model) => {
    const line = `${model} · team-plan 75% left · 99 requests · runs out in 2d · relay`
    expect(await printLine(makeDataFolder(setup, 250), template, input)).toBe(line)
  })

  it.each([
    { what: 'nothing at all', setup: undefined, input: '', line: 'Platform Companion' },
    { what: 'only a model', setup: undefined, input: '{"model":{"id":"m"}}', line: 'm' },
    { what: 'only a setup', setup: { modelCode: 'm', route: 'gateway' }, input: '[]', line: 'm · direct' },
  ])('is never blank: with $what it shows $line', async ({ setup, input, line }) => {
    expect(await printLine(makeDataFolder(setup), template, input)).toBe(line)
  })

  it('follows a template, marks old figures, and removes control characters', async () => {
    const folder = makeDataFolder(setup, 250)
    expect(previewStatusLine(folder, 'claude-code', '[{tokens}] {nothing}')).toBe('[75% left]')
    const prototypeTemplate = '{constructor}{toString}{__proto__}x'
    expect(previewStatusLine(folder, 'claude-code', prototypeTemplate)).toBe('Platform Companion')
    vi.setSystemTime(nowMs + 7_200_000)
    expect(previewStatusLine(folder, 'claude-code', '{tokens}')).toBe('75% left · outdated')
    const input = JSON.stringify({ model: { id: 'm', display_name: 'a\u001b[31m\u202eb' } })
    expect(await printLine(makeDataFolder(setup), '{model}', input)).toBe('a[31mb')
  })

  it('keeps figures for a day while their console is unavailable, and marks them as old', () => {
    const folder = makeDataFolder(setup)
    const quotas = buildQuotas(250)
    const quotasWithoutModels = quotas.map((plan) => ({ ...plan, models: [] }))
    const renderLineAfter = (plans: typeof quotas, ms: number) => {
      writeStatusCache(folder, plans, new Date(nowMs + ms))
      vi.setSystemTime(nowMs + ms)
      return previewStatusLine(folder, 'claude-code', '{tokens}')
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
