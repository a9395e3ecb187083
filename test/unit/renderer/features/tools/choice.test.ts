import { describe, expect, it } from 'vitest'
import { completeChoice, type Picked, previewInput, sameModel } from '../../../../../src/renderer/features/tools/choice'
import { plan, tool } from '../../support/views'

const two = plan({ id: 'a', models: ['large', 'fast', 'tiny'] })
const one = plan({ id: 'b', models: ['only'] })
const none = plan({ id: 'c', models: [] })
const claude = tool({ status: 'absent', deliveries: ['plain', 'helper'] })
const applied = {
  planId: 'a',
  planName: 'team',
  modelCode: 'fast',
  smallModelCode: 'fast',
  delivery: 'plain' as const,
  requestAddress: 'https://gateway.example.com/v1/messages',
  at: '2026-11-21T08:00:00.000Z',
}

const choose = (over: Partial<Parameters<typeof completeChoice>[0]> = {}) =>
  completeChoice({ tool: claude, plans: [two, one, none], currentPlan: undefined, picked: {}, ...over })

describe('the choice before anything is picked', () => {
  it('is the first plan, its first model, the one named like a small one, and the safest way to the key', () => {
    expect(choose()).toEqual({ plan: two, modelCode: 'large', smallModel: 'fast', delivery: 'helper' })
  })

  it('is the plan that the window works with, and one model for both where there is only one', () => {
    expect(choose({ currentPlan: one })).toMatchObject({ plan: one, modelCode: 'only', smallModel: sameModel })
  })

  it('is what is in use, for a tool that is configured', () => {
    const configured = tool({ applied, deliveries: ['helper', 'plain'] })
    expect(choose({ tool: configured, currentPlan: one })).toMatchObject({
      plan: two,
      modelCode: 'fast',
      smallModel: sameModel,
      delivery: 'plain',
    })
  })

  it('takes nothing over from the plan in use when another is picked', () => {
    const configured = tool({ applied, deliveries: ['helper', 'plain'] })
    expect(choose({ tool: configured, picked: { planId: 'b' } })).toMatchObject({
      modelCode: 'only',
      delivery: 'helper',
    })
  })

  it('is none without a plan', () => {
    expect(choose({ plans: [] })).toBeUndefined()
  })
})

describe('what is asked of main', () => {
  const ask = (picked: Picked) => previewInput(claude, choose({ picked }), picked)

  it('names both models, also when they are the same', () => {
    expect(ask({ smallModel: sameModel })).toEqual({
      toolId: 'claude-code',
      planId: 'a',
      modelCode: 'large',
      smallModelCode: 'large',
      delivery: 'helper',
    })
  })

  it.each<Picked>([{ planId: 'c' }, { modelCode: ' ' }, { modelCode: 'two words' }, { smallModel: '' }])(
    'is nothing while a code is missing or cannot be one: %j',
    (picked) => {
      expect(ask(picked)).toBeUndefined()
    },
  )

  it('carries the consent to move comments into a copy', () => {
    expect(ask({ moveCommentsToCopy: true })).toMatchObject({ moveCommentsToCopy: true })
  })
})
