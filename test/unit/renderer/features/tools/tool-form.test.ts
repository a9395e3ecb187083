import type { ToolView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { toSiteTool } from '../../../../../src/renderer/features/tools/setups'
import {
  type BulkFormOverrides,
  buildBulkInput,
  type FormOverrides,
  manyRoutes,
  previewInput,
  resolveBulkForm,
  resolveToolForm,
  sameModelOption,
} from '../../../../../src/renderer/features/tools/tool-form'
import { buildAppliedSetup, plan, tool } from '../../support/views'

const planWithThreeModels = plan({ id: 'a', models: ['large', 'fast', 'tiny'] })
const planWithOneModel = plan({ id: 'b', models: ['only'] })
const planWithoutModels = plan({ id: 'c', models: [] })
const claude = tool({ status: 'absent', deliveries: ['plain', 'helper'] })
const appliedSetup = buildAppliedSetup({ planId: 'a', modelCode: 'fast', slots: { small: 'fast' }, delivery: 'plain' })

const resolveForm = (overrides: Partial<Parameters<typeof resolveToolForm>[0]> = {}) =>
  resolveToolForm({
    tool: claude,
    plans: [planWithThreeModels, planWithOneModel, planWithoutModels],
    currentPlan: undefined,
    picked: {},
    ...overrides,
  })

describe('the default selection', () => {
  it('has no model without quota, unless all are used up or the tool uses it', () => {
    const exhausted = (...codes: string[]) => ({ listExhausted: () => new Set(codes) })
    const slots = { small: sameModelOption }
    expect(resolveForm(exhausted('large', 'fast'))).toMatchObject({ modelCode: 'tiny', slots })
    expect(resolveForm(exhausted('fast'))).toMatchObject({ modelCode: 'large', slots: { small: 'tiny' } })
    expect(resolveForm(exhausted('large', 'fast', 'tiny'))).toMatchObject({ modelCode: 'large' })
    const configured = tool({ applied: appliedSetup })
    expect(resolveForm({ tool: configured, ...exhausted('fast') })).toMatchObject({ modelCode: 'fast' })
  })

  it('is the window’s plan, and one model for both when there is only one', () => {
    const expectedForm = { plan: planWithOneModel, modelCode: 'only', slots: { small: sameModelOption } }
    expect(resolveForm({ currentPlan: planWithOneModel })).toMatchObject(expectedForm)
  })

  it('is the current setup of a configured tool', () => {
    const configured = tool({ applied: appliedSetup, deliveries: ['helper', 'plain'] })
    expect(resolveForm({ tool: configured, currentPlan: planWithOneModel })).toMatchObject({
      plan: planWithThreeModels,
      modelCode: 'fast',
      slots: { small: sameModelOption },
      delivery: 'plain',
    })
  })

  it('replaces an unsupported key delivery by the best one', () => {
    const configured = tool({ applied: { ...appliedSetup, delivery: 'file' }, deliveries: ['env', 'envFile'] })
    expect(resolveForm({ tool: configured })).toMatchObject({ delivery: 'envFile' })
  })

  it('uses nothing of the current plan when another is selected', () => {
    const configured = tool({ applied: appliedSetup, deliveries: ['helper', 'plain'] })
    const otherPlanForm = resolveForm({ tool: configured, picked: { planId: 'b' } })
    expect(otherPlanForm).toMatchObject({ modelCode: 'only', delivery: 'helper' })
  })
})

describe('the request to main', () => {
  const buildInput = (picked: FormOverrides) => previewInput(claude, resolveForm({ picked }), picked)

  it('omits slots that use the main model', () => {
    expect(buildInput({ slots: { small: sameModelOption } })).not.toHaveProperty('slots')
  })

  it('names the key only for a plan with several, and the site only if it is not this user’s home', () => {
    const [key] = planWithThreeModels.keys
    if (!key) throw new Error('The plan has no key.')
    const planWithTwoKeys = plan({ id: 'a', models: ['large'], keys: [key, { ...key, id: 'k2' }] })
    const site = { kind: 'project', folder: '/code/a' } as const
    const pickedKey = { keyId: 'k2' }
    const choice = resolveForm({ plans: [planWithTwoKeys], picked: pickedKey })
    expect(previewInput(toSiteTool(claude, site), choice, pickedKey)).toMatchObject({ keyId: 'k2', site })
    expect(buildInput({ keyId: 'k1' })).not.toHaveProperty('keyId')
  })

  it.each<FormOverrides>([{ planId: 'c' }, { modelCode: ' ' }, { modelCode: 'two words' }, { slots: { small: '' } }])(
    'is undefined with a missing or invalid code: %j',
    (picked) => {
      expect(buildInput(picked)).toBeUndefined()
    },
  )
})

const team = plan({ models: ['large', 'fast'] })
const tools = [
  tool({ deliveries: ['plain', 'file', 'helper'] }),
  tool({ id: 'pi', deliveries: ['helper'], slots: [{ id: 'planner', isSmall: false }] }),
  tool({ id: 'cline', deliveries: ['plain'], slots: [] }),
]
const completeBulkForm = (picked: BulkFormOverrides = {}) =>
  resolveBulkForm({ plans: [team], currentPlan: undefined, picked })
const buildChoices = (picked: BulkFormOverrides = {}) =>
  buildBulkInput(tools, completeBulkForm(picked), picked)?.choices

describe('several tools together', () => {
  it('each get the key in their best way, and the small model for small jobs', () => {
    expect(buildChoices()).toEqual([
      { toolId: 'claude-code', planId: 'p1', modelCode: 'large', slots: { small: 'fast' }, delivery: 'helper' },
      { toolId: 'pi', planId: 'p1', modelCode: 'large', delivery: 'helper' },
      { toolId: 'cline', planId: 'p1', modelCode: 'large', delivery: 'plain' },
    ])
  })

  it.each<BulkFormOverrides>([{ modelCode: '' }, { modelCode: 'two words' }, { smallModel: ' ' }])(
    'require valid model codes: not %j',
    (picked) => {
      expect(buildChoices(picked)).toBeUndefined()
    },
  )
})

const relayedSetup = buildAppliedSetup({
  route: 'relay',
  requestAddress: 'http://127.0.0.1:4870/t/claude-code/v1/messages',
})
const routePlans = [plan(), plan({ id: 'p2', name: 'second', models: ['other'] })]

const resolveRoute = (toolView: ToolView, picked: FormOverrides = {}) => {
  const choice = resolveToolForm({ tool: toolView, plans: routePlans, currentPlan: undefined, picked })
  return [choice?.route, previewInput(toolView, choice, picked)?.route]
}

describe('the route of a tool’s requests', () => {
  it.each([
    ['the usual one, unnamed', tool(), {}, ['gateway', undefined]],
    ['the one in use', tool({ applied: relayedSetup }), {}, ['relay', 'relay']],
    ['the one in use, with another plan too', tool({ applied: relayedSetup }), { planId: 'p2' }, ['relay', 'relay']],
    ['the picked one', tool({ applied: relayedSetup }), { route: 'gateway' }, ['gateway', undefined]],
    ['the only one', tool({ routes: ['relay'] }), { route: 'gateway' }, ['relay', undefined]],
    ['none to name by hand', tool({ kind: 'guided', routes: [] }), {}, ['gateway', undefined]],
  ] as const)('is %s', (_, toolView, picked, expected) => {
    expect(resolveRoute(toolView, picked)).toEqual(expected)
  })

  it('is never the relay inside a WSL distribution, which cannot reach it', () => {
    const wslTool = toSiteTool(tool({ sites: ['user', 'wsl'] }), { kind: 'wsl', distribution: 'Ubuntu' })
    expect(resolveRoute(wslTool, { route: 'relay' })).toEqual(['gateway', undefined])
  })

  it('stays open for several tools with different routes, until one is selected', () => {
    const routed = [tool(), tool({ id: 'pi', applied: relayedSetup }), tool({ id: 'junie', routes: ['gateway'] })]
    expect(manyRoutes(routed, undefined).route).toBeUndefined()
    const { route, bound } = manyRoutes(routed, 'relay')
    expect([route, bound.map(({ id }) => id)]).toEqual(['relay', ['junie']])
  })
})
