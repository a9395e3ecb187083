import { expect, it } from 'vitest'
import { targets } from '../../../../../src/main/tools/targets'
import { buildInitials } from '../../../../../src/renderer/features/tools/tool-mark'

it('all tools have unique initials', () => {
  const initials = targets.map(({ name }) => buildInitials(name))
  expect(new Set(initials).size).toBe(targets.length)
  expect(['Claude Code', 'Codex CLI', 'Cline CLI', 'pi'].map(buildInitials)).toEqual(['CC', 'Cd', 'Ci', 'pi'])
})
