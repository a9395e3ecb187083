import { afterEach, expect, it } from 'vitest'
import { requireNoneLeft } from '../../../../../src/main/cli/tool-changes'
import { failForUnchanged } from '../../../../../src/main/cli/tools'

const failure = { code: 'file.unparsable', message: 'It is broken on line 3.' } as const
const leftTools = [{ toolId: 'crush', site: { kind: 'user' }, failure }] as const

afterEach(() => {
  process.exitCode = 0
})

it('a change with an impossible part is refused with the reason and the tool', () => {
  expect(() => requireNoneLeft({ left: [] })).not.toThrow()
  expect(() => requireNoneLeft({ left: [...leftTools] })).toThrow('crush: It is broken on line 3. Nothing was written.')
})

it('a command that skipped a tool fails', () => {
  process.exitCode = 0
  failForUnchanged({ left: [] })
  expect(process.exitCode).toBe(0)
  failForUnchanged({ left: [...leftTools] })
  expect(process.exitCode).toBe(1)
})
