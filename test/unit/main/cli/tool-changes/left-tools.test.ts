import { afterEach, expect, it } from 'vitest'
import { requireAllToolsChanged } from '../../../../../src/main/cli/tool-changes'
import { setExitCodeIfSkipped } from '../../../../../src/main/cli/tools'

const failure = { code: 'file.unparsable', message: 'It is broken on line 3.' } as const
const skippedTools = [{ toolId: 'crush', site: { kind: 'user' }, failure }] as const

afterEach(() => {
  process.exitCode = 0
})

it('a change with an impossible part is refused with the reason and the tool', () => {
  expect(() => requireAllToolsChanged({ left: [] })).not.toThrow()
  expect(() => requireAllToolsChanged({ left: [...skippedTools] })).toThrow(
    'crush: It is broken on line 3. Nothing was written.',
  )
})

it('a command that skipped a tool fails', () => {
  process.exitCode = 0
  setExitCodeIfSkipped({ left: [] })
  expect(process.exitCode).toBe(0)
  setExitCodeIfSkipped({ left: [...skippedTools] })
  expect(process.exitCode).toBe(1)
})
