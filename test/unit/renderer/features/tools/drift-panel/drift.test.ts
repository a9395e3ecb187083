import type { DriftEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  listDecidableEntries,
  mergeInput,
  toggleKeptPath,
} from '../../../../../../src/renderer/features/tools/drift-panel'
import { toSiteTool, userSite } from '../../../../../../src/renderer/features/tools/sites'
import { buildAppliedSetup, tool } from '../../../support/views'

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
const unchangedEntry = entry('theme', { state: 'same' })
const noneSelected: ReadonlySet<string> = new Set()

describe('settings to decide', () => {
  it('are only those that differ', () => {
    expect(listDecidableEntries([address, key, model, unchangedEntry]).map(({ path }) => path)).toEqual([
      'base',
      'model',
    ])
  })

  it('omit unchanged address and key', () => {
    expect(listDecidableEntries([{ ...address, state: 'same' }, key, model])).toEqual([model])
  })
})

describe('a decision', () => {
  const entries = [address, key, model]

  it('keeps address and key together, whichever is selected', () => {
    expect([...toggleKeptPath(noneSelected, { entry: key, keeps: true, entries })]).toEqual(['base', 'helper'])
    const allSelected = new Set(['base', 'helper', 'model'])
    expect([...toggleKeptPath(allSelected, { entry: address, keeps: false, entries })]).toEqual(['model'])
  })

  it('about another setting affects only that one', () => {
    expect([...toggleKeptPath(noneSelected, { entry: model, keeps: true, entries })]).toEqual(['model'])
  })
})

describe('the merge', () => {
  it('writes the last setup again except for kept settings', () => {
    const siteTool = toSiteTool(tool({ applied: buildAppliedSetup({ slots: { small: 'fast' } }) }), userSite)
    expect(mergeInput(siteTool, new Set(['model']))).toEqual({
      toolId: 'claude-code',
      planId: 'p1',
      keyId: 'k1',
      modelCode: 'large',
      slots: { small: 'fast' },
      delivery: 'helper',
      keep: ['model'],
    })
    expect(mergeInput(siteTool, noneSelected)).toHaveProperty('keep', [])
  })

  it('is undefined for a tool without a setup', () => {
    expect(mergeInput(toSiteTool(tool(), userSite), noneSelected)).toBeUndefined()
  })
})
