import type { BulkPreview, ToolChoice, ToolWarning } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, test } from 'vitest'
import { switchImmediately, switchModel } from '../../../../../src/main/tools/profiles/profiles'

type Action = 'change' | 'none'

function tool(action: Action, code: ToolWarning['code'] = 'restartNeeded'): BulkPreview['tools'][number] {
  return {
    toolId: 'claude-code',
    site: { kind: 'user' },
    kind: 'apply',
    files: [{ path: '/home/lan/.claude/settings.json', action, holdsKey: false, lines: [] }],
    warnings: [{ code }],
  }
}

const skippedTools: BulkPreview['left'] = [
  { toolId: 'crush', site: { kind: 'user' }, failure: { code: 'file.unparsable', message: 'no' } },
]

/** Switches a profile and returns the result and the applied changes. */
async function createProfileSwitch(preview: Partial<BulkPreview>, apply: () => unknown = () => []) {
  const writtenToolIds: string[] = []
  const ports = {
    preview: async (): Promise<BulkPreview> => ({ previewId: 'preview-1', tools: [], left: [], ...preview }),
    applyMany: async (id: string) => {
      writtenToolIds.push(id)
      return apply()
    },
  }
  return { switched: await switchImmediately(ports), written: writtenToolIds }
}

describe('switching to a profile in one step', () => {
  it('writes exactly the preview', async () => {
    const { switched, written } = await createProfileSwitch({ tools: [tool('change')] })
    expect(switched).toEqual({ outcome: 'switched' })
    expect(written).toEqual(['preview-1'])
  })

  it('writes nothing when all tools match the profile, even with plain-text keys', async () => {
    const { switched, written } = await createProfileSwitch({ tools: [tool('none', 'plainText')] })
    expect(switched).toEqual({ outcome: 'switched' })
    expect(written).toEqual([])
  })

  test.each<[string, Partial<BulkPreview>]>([
    ['the key would be written in plain text', { tools: [tool('change', 'plainText')] }],
    ['a tool cannot be changed', { tools: [tool('change')], left: skippedTools }],
  ])('asks and writes nothing when %s', async (_, preview) => {
    const { switched, written } = await createProfileSwitch(preview)
    expect(switched).toEqual({ outcome: 'asks' })
    expect(written).toEqual([])
  })

  it('asks when the preview cannot be shown', async () => {
    const failOnBulkApply = async (): Promise<never> => expect.unreachable()
    expect(await switchImmediately({ preview: async () => undefined, applyMany: failOnBulkApply })).toEqual({
      outcome: 'asks',
    })
  })

  it('reports why it failed', async () => {
    const { switched } = await createProfileSwitch({ tools: [tool('change')] }, () => {
      throw new AppError('file.unwritable', 'The disk is full.')
    })
    expect(switched).toEqual({ outcome: 'failed', code: 'file.unwritable' })
  })

  it('reports an unexpected error', async () => {
    const { switched } = await createProfileSwitch({ tools: [tool('change')] }, () => {
      throw new TypeError('bug')
    })
    expect(switched).toEqual({ outcome: 'failed', code: 'internal.unexpected' })
  })
})

describe('selecting another model', () => {
  const key = { name: 'k', masked: 'sk-…', addedAt: '2026-11-23T12:00:00.000Z', kept: 'keychain' } as const
  const plan = { id: 'p', models: ['large', 'small', 'tiny'], keys: [{ ...key, id: 'k1' }] }
  const choice: ToolChoice = {
    toolId: 'claude-code',
    planId: 'p',
    keyId: 'k1',
    modelCode: 'large',
    delivery: 'helper',
    route: 'gateway',
    slots: { small: 'tiny', opus: 'large' },
    settingsToRemove: ['model'],
  }

  it('keeps key, delivery and slots of the same plan, and updates slots with the old model code', () => {
    expect(switchModel({ choice }, plan, 'small')).toEqual({ ...choice, modelCode: 'small', slots: { small: 'tiny' } })
  })

  it('uses the default key and the models of another plan', () => {
    const { keyId: _, ...rest } = choice
    const otherPlan = { id: 'q', models: ['other'], keys: [{ ...key, id: 'k1' }] }
    expect(switchModel({ choice }, otherPlan, 'other')).toEqual({ ...rest, planId: 'q', modelCode: 'other', slots: {} })
  })

  it('replaces a disabled key by the default', () => {
    const disabledPlan = { ...plan, keys: [{ ...key, id: 'k1', status: 'DISABLED' as const }] }
    expect(switchModel({ choice }, disabledPlan, 'small')).not.toHaveProperty('keyId')
  })
})
