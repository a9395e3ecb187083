import type { DriftEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { listDecidable, mergeInput, toggleKept } from '../../../../../../src/renderer/features/tools/drift-panel'
import { toSiteTool, userSite } from '../../../../../../src/renderer/features/tools/sites'
import { buildApplied, tool } from '../../../support/views'

const entry = (path: string, overrides: Partial<DriftEntry> = {}): DriftEntry => ({
  path,
  file: '/f.json',
  written: 'a',
  found: 'b',
  wanted: 'a',
  state: 'changed',
  ...overrides,
})
const address = entry('base', { role: 'address' })
const key = entry('helper', { role: 'credential', state: 'same' })
const model = entry('model')
const sameEntry = entry('theme', { state: 'same' })
const noneSelected: ReadonlySet<string> = new Set()

describe('settings to decide', () => {
  it('are only those that differ', () => {
    expect(listDecidable([address, key, model, sameEntry]).map(({ path }) => path)).toEqual(['base', 'model'])
  })

  it('omit unchanged address and key', () => {
    expect(listDecidable([{ ...address, state: 'same' }, key, model])).toEqual([model])
  })
})

describe('a decision', () => {
  const entries = [address, key, model]

  it('keeps address and key together, whichever is selected', () => {
    expect([...toggleKept(noneSelected, { entry: key, keeps: true, entries })]).toEqual(['base', 'helper'])
    const allSelected = new Set(['base', 'helper', 'model'])
    expect([...toggleKept(allSelected, { entry: address, keeps: false, entries })]).toEqual(['model'])
  })

  it('about another setting affects only that one', () => {
    expect([...toggleKept(noneSelected, { entry: model, keeps: true, entries })]).toEqual(['model'])
  })
})

describe('the merge', () => {
  it('writes the last setup again except for kept settings', () => {
    const local = toSiteTool(tool({ applied: buildApplied({ slots: { small: 'fast' } }) }), userSite)
    expect(mergeInput(local, new Set(['model']))).toEqual({
      toolId: 'claude-code',
      planId: 'p1',
      keyId: 'k1',
      modelCode: 'large',
      slots: { small: 'fast' },
      delivery: 'helper',
      keep: ['model'],
    })
    expect(mergeInput(local, noneSelected)).toHaveProperty('keep', [])
  })

  it('is undefined for a tool without a setup', () => {
    expect(mergeInput(toSiteTool(tool(), userSite), noneSelected)).toBeUndefined()
  })
})
