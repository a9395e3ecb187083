import type { ManyPreview, ToolWarning } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, test } from 'vitest'
import { switchProfile } from '../../../../src/main/profiles/switch-profile'

type Action = 'change' | 'none'

function tool(action: Action, code: ToolWarning['code'] = 'restartNeeded'): ManyPreview['tools'][number] {
  return {
    toolId: 'claude-code',
    site: { kind: 'user' },
    kind: 'apply',
    files: [{ path: '/home/lan/.claude/settings.json', action, holdsKey: false, lines: [] }],
    warnings: [{ code }],
  }
}

const left: ManyPreview['left'] = [
  { toolId: 'crush', site: { kind: 'user' }, failure: { code: 'file.unparsable', message: 'no' } },
]

/** What came of a switch, and what was written. */
async function switching(preview: Partial<ManyPreview>, apply: () => unknown = () => []) {
  const written: string[] = []
  const ports = {
    previewUse: async (): Promise<ManyPreview> => ({ previewId: 'preview-1', tools: [], left: [], ...preview }),
    applyMany: async (id: string) => {
      written.push(id)
      return apply()
    },
  }
  return { switched: await switchProfile(ports, 'x'), written }
}

describe('switching to a profile in one go', () => {
  it('writes exactly what was previewed', async () => {
    const { switched, written } = await switching({ tools: [tool('change')] })
    expect(switched).toEqual({ outcome: 'switched' })
    expect(written).toEqual(['preview-1'])
  })

  it('writes nothing when all is as the profile says already, even in plain text', async () => {
    const { switched, written } = await switching({ tools: [tool('none', 'plainText')] })
    expect(switched).toEqual({ outcome: 'switched' })
    expect(written).toEqual([])
  })

  test.each<[string, Partial<ManyPreview>]>([
    ['the key would be written in plain text', { tools: [tool('change', 'plainText')] }],
    ['a tool cannot be changed', { tools: [tool('change')], left }],
  ])('asks and writes nothing when %s', async (_, preview) => {
    const { switched, written } = await switching(preview)
    expect(switched).toEqual({ outcome: 'asks' })
    expect(written).toEqual([])
  })

  it('tells by its code why it failed', async () => {
    const { switched } = await switching({ tools: [tool('change')] }, () => {
      throw new AppError('file.unwritable', 'The disk is full.')
    })
    expect(switched).toEqual({ outcome: 'failed', code: 'file.unwritable' })
  })

  it('tells that something unexpected happened', async () => {
    const { switched } = await switching({ tools: [tool('change')] }, () => {
      throw new TypeError('bug')
    })
    expect(switched).toEqual({ outcome: 'failed', code: 'internal.unexpected' })
  })
})
