import { describe, expect, it } from 'vitest'
import type { ChangeSet } from '../../../../../../src/main/tools/change-set'
import { Previews } from '../../../../../../src/main/tools/setups/change-history'
import { createHarness } from '../bench'

function buildPlan(overrides: Partial<ChangeSet> = {}): ChangeSet {
  const { machine } = createHarness()
  return {
    kind: 'apply',
    toolId: 'claude-code',
    place: { ...machine.place, site: { kind: 'user' } },
    files: [{ path: '/x', action: 'create', holdsKey: false, lines: [] }],
    warnings: [{ code: 'restartNeeded' }],
    base: 'https://gw.example.com',
    requestAddress: 'https://gw.example.com/v1/messages',
    preconditions: [],
    steps: [{ kind: 'remove', path: '/secret-step' }],
    tidying: [],
    past: { journal: undefined, next: undefined, files: [], newFolders: [], newKeyFiles: [] },
    ...overrides,
  }
}

const noRelay = { getUpstream: () => undefined }

describe('previews', () => {
  it('show only permitted fields of a plan, and return the whole plan once', () => {
    const previews = new Previews(noRelay)
    const plan = buildPlan()
    const { previewId, ...shown } = previews.keepOne(plan)
    expect(shown).toEqual({
      toolId: 'claude-code',
      site: { kind: 'user' },
      kind: 'apply',
      files: plan.files,
      warnings: plan.warnings,
      base: plan.base,
      requestAddress: plan.requestAddress,
    })
    expect(previews.take(previewId)).toEqual([plan])
    expect(() => previews.take(previewId)).toThrow('This preview has expired')
  })

  it('of several tools are applied together, with the skipped ones', () => {
    const previews = new Previews(noRelay)
    const plans = [buildPlan(), buildPlan({ toolId: 'crush', kind: 'rewind' })]
    const skippedTools = [
      { toolId: 'pi', site: { kind: 'user' } as const, failure: { code: 'file.unparsable' as const, message: 'x' } },
    ]
    const bulkPreview = previews.keepMany(plans, skippedTools)
    expect(bulkPreview).toMatchObject({
      tools: [{ toolId: 'claude-code' }, { toolId: 'crush', kind: 'rewind' }],
      left: skippedTools,
    })
    expect(previews.take(bulkPreview.previewId)).toEqual(plans)
  })

  it('show which files a release keeps', () => {
    expect(new Previews(noRelay).keepOne(buildPlan({ kind: 'letGo' })).kind).toBe('restore')
  })

  it('keep the latest twenty', () => {
    const previews = new Previews(noRelay)
    const ids = Array.from({ length: 21 }, () => previews.keepOne(buildPlan()).previewId)
    expect(() => previews.take(ids[0] ?? '')).toThrow('Preview the changes again')
    for (const id of ids.slice(1)) expect(previews.take(id)).toHaveLength(1)
  })
})
