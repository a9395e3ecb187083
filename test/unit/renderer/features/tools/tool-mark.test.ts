import { expect, it } from 'vitest'
import { targets } from '../../../../../src/main/tools/targets'
import { initialsOf } from '../../../../../src/renderer/features/tools/tool-mark'

it('no two tools have the same initials', () => {
  const initials = targets.map(({ name }) => initialsOf(name))
  expect(new Set(initials).size).toBe(targets.length)
  expect(['Claude Code', 'Codex CLI', 'Cline CLI', 'pi'].map(initialsOf)).toEqual(['CC', 'Cd', 'Ci', 'pi'])
})
