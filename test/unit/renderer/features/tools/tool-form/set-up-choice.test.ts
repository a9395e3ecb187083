import { describe, expect, it } from 'vitest'
import {
  type BulkFormOverrides,
  buildBulkInput,
  resolveBulkForm,
} from '../../../../../../src/renderer/features/tools/tool-form'
import { plan, tool } from '../../../support/views'

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
