import type { DriftEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { decidable, decided, mergeInput } from '../../../../../../src/renderer/features/tools/drift-panel'
import { toolHere, userSite } from '../../../../../../src/renderer/features/tools/sites'
import { applied, tool } from '../../../support/views'

const entry = (path: string, over: Partial<DriftEntry> = {}): DriftEntry => ({
  path,
  file: '/f.json',
  written: 'a',
  found: 'b',
  wanted: 'a',
  state: 'changed',
  ...over,
})
const address = entry('base', { role: 'address' })
const key = entry('helper', { role: 'credential', state: 'same' })
const model = entry('model')
const same = entry('theme', { state: 'same' })
const none: ReadonlySet<string> = new Set()

describe('settings to decide', () => {
  it('are only those that differ', () => {
    expect(decidable([address, key, model, same]).map(({ path }) => path)).toEqual(['base', 'model'])
  })

  it('omit unchanged address and key', () => {
    expect(decidable([{ ...address, state: 'same' }, key, model])).toEqual([model])
  })
})

describe('a decision', () => {
  const entries = [address, key, model]

  it('keeps address and key together, whichever is selected', () => {
    expect([...decided(none, { entry: key, keeps: true, entries })]).toEqual(['base', 'helper'])
    const both = new Set(['base', 'helper', 'model'])
    expect([...decided(both, { entry: address, keeps: false, entries })]).toEqual(['model'])
  })

  it('about another setting affects only that one', () => {
    expect([...decided(none, { entry: model, keeps: true, entries })]).toEqual(['model'])
  })
})

describe('the merge', () => {
  it('writes the last setup again except for kept settings', () => {
    const local = toolHere(tool({ applied: applied({ slots: { small: 'fast' } }) }), userSite)
    expect(mergeInput(local, new Set(['model']))).toEqual({
      toolId: 'claude-code',
      planId: 'p1',
      keyId: 'k1',
      modelCode: 'large',
      slots: { small: 'fast' },
      delivery: 'helper',
      keep: ['model'],
    })
    expect(mergeInput(local, none)).toHaveProperty('keep', [])
  })

  it('is undefined for a tool without a setup', () => {
    expect(mergeInput(toolHere(tool(), userSite), none)).toBeUndefined()
  })
})
