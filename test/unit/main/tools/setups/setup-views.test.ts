import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Site, ToolChoice } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import type { PlanRecord } from '../../../../../src/main/core/settings/settings'
import { prepareApply } from '../../../../../src/main/tools/apply'
import { commit } from '../../../../../src/main/tools/commit'
import { findContext } from '../../../../../src/main/tools/setups/config-scopes'
import { buildToolRequest } from '../../../../../src/main/tools/setups/setup-request'
import { buildToolView } from '../../../../../src/main/tools/setups/setup-views'
import type { Target } from '../../../../../src/main/tools/target'
import { anyTarget, writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness, plan } from './bench'

const claude = writtenTarget('claude-code')

async function createConfiguredHarness(plans: PlanRecord[], overrides: Partial<ToolChoice> = {}) {
  const harness = createHarness({ plans })
  const { machine, deps } = harness
  const choice = { toolId: 'claude-code', planId: 'p1', modelCode: 'large', ...overrides }
  const apply = async (site: Site = { kind: 'user' }): Promise<void> => {
    const request = await buildToolRequest(claude, { ...choice, site }, deps)
    await commit([await prepareApply(claude, request, await findContext(machine, site))], machine.place)
  }
  await apply()
  return {
    ...harness,
    apply,
    file: join(harness.home, '.claude/settings.json'),
    view: () => buildToolView(claude, deps),
  }
}

describe('a tool without a setup', () => {
  it('is shown with its abilities and its file path', async () => {
    const { deps, home } = createHarness()
    expect(await buildToolView(claude, deps)).toMatchObject({
      id: 'claude-code',
      kind: 'written',
      installed: true,
      version: '1.2.3',
      triedVersion: expect.any(String),
      deliveries: ['helper', 'plain'],
      slots: [
        { id: 'opus', isSmall: false },
        { id: 'sonnet', isSmall: false },
        { id: 'small', isSmall: true },
        { id: 'subagent', isSmall: false },
      ],
      status: 'absent',
      drift: [],
      file: join(home, '.claude/settings.json'),
      files: [{ exists: false }],
      setups: [],
    })
  })

  it('that was configured otherwise is shown with its current target', async () => {
    const { deps, home } = createHarness()
    const file = join(home, '.claude/settings.json')
    mkdirSync(dirname(file))
    writeFileSync(file, '{"env": {"ANTHROPIC_BASE_URL": "https://else.example.com", "ANTHROPIC_MODEL": "theirs"}}')
    const view = await buildToolView(claude, deps)
    expect(view).toMatchObject({
      status: 'otherwise',
      found: { base: 'https://else.example.com', modelCode: 'theirs' },
    })
    expect(view.applied).toBeUndefined()
  })

  it('without a settings path on this system is not supported there', async () => {
    const { deps } = createHarness({ platform: 'freebsd' })
    const targetWithoutFile: Target = { ...claude, files: [{ ...claude.files[0], path: () => undefined }] }
    expect(await buildToolView(targetWithoutFile, deps)).toMatchObject({ kind: 'unsupported', reason: 'platform' })
  })

  test.each([
    ['cursor', { kind: 'guided', deliveries: [], status: 'absent' }],
    ['codex', { kind: 'written', routes: ['relay'], status: 'absent', speaks: 'responses' }],
  ])('%s shows its state', async (id, expectedView) => {
    expect(await buildToolView(anyTarget(id), createHarness().deps)).toMatchObject(expectedView)
  })
})

describe('a configured tool', () => {
  it('is shown with the current names of plan and key', async () => {
    const plans = [plan()]
    const { view } = await createConfiguredHarness(plans, { keyId: 'k2', slots: { small: 'small' } })
    plans[0] = plan({ name: 'renamed' })
    expect(await view()).toMatchObject({
      status: 'configured',
      applied: {
        planId: 'p1',
        planName: 'renamed',
        keyId: 'k2',
        keyName: 'name of k2',
        modelCode: 'large',
        slots: expect.objectContaining({ small: 'small' }),
        delivery: 'helper',
        requestAddress: 'https://gw.example.com/v1/messages',
      },
    })
  })

  it('drifts when its plan’s address changes, and lists the settings', async () => {
    const plans = [plan()]
    const { view } = await createConfiguredHarness(plans)
    plans[0] = plan({ gatewayUrl: 'https://moved.example.com' })
    expect(await view()).toMatchObject({ status: 'drifted', drift: ['env.ANTHROPIC_BASE_URL'] })
  })

  it('is compared with the last write once its plan or key is gone', async () => {
    const plans = [plan()]
    const { view } = await createConfiguredHarness(plans, { keyId: 'k2' })
    plans[0] = plan({ gatewayUrl: 'https://moved.example.com', keys: plan().keys.slice(0, 1) })
    const withoutKey = await view()
    expect(withoutKey).toMatchObject({ status: 'configured', applied: { planName: 'team', keyId: 'k2' } })
    expect(withoutKey.applied?.keyName).toBeUndefined()
    plans.length = 0
    const withoutPlan = await view()
    expect(withoutPlan).toMatchObject({ status: 'configured', applied: { planId: 'p1' } })
    expect(withoutPlan.applied?.planName).toBeUndefined()
  })

  it('in a project has a separate setup, shown even when the folder is missing', async () => {
    const { view, apply, home } = await createConfiguredHarness([plan()])
    const folder = join(home, 'shop')
    mkdirSync(folder)
    await apply({ kind: 'project', folder })
    expect(await view()).toMatchObject({
      status: 'configured',
      setups: [{ site: { kind: 'project', folder }, status: 'configured', applied: { planName: 'team' } }],
    })
    rmSync(folder, { recursive: true })
    expect(await view()).toMatchObject({
      status: 'configured',
      setups: [
        { status: 'unreadable', file: folder, problem: { code: 'file.unreadable' }, applied: { modelCode: 'large' } },
      ],
    })
  })
})
