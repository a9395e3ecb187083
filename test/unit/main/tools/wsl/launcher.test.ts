import { expect, it, test } from 'vitest'
import { wslHelperArgv } from '../../../../../src/main/tools/wsl'

const args = ['key', 'print', '--plan', 'plan-1', '--key', 'key-1']

it('cmd.exe is called by its Linux path, with the launcher’s Windows path', () => {
  const launcher = 'C:\\Users\\Nguyễn Văn\\AppData\\Roaming\\companion\\bin\\companion.cmd'
  expect(wslHelperArgv(launcher, args)).toEqual(['/mnt/c/Windows/System32/cmd.exe', '/d', '/c', launcher, ...args])
})

test.each([
  'C:\\a & b\\x.cmd',
  'C:\\a(1)\\x.cmd',
  'C:\\100%\\x.cmd',
  'C:\\a^b\\x.cmd',
  'C:\\a!\\x.cmd',
  "C:\\o'x\\x.cmd",
  'x.cmd',
  '\\\\server\\x.cmd',
  'C:\\a,b\\x.cmd',
])('there is no helper command when the launcher is %s, which cmd would misread', (launcher) => {
  expect(wslHelperArgv(launcher, args)).toBeUndefined()
})

test.each(['a b', 'a&b', '%PATH%', '"', ''])('there is no helper command with the argument %j', (arg) => {
  expect(wslHelperArgv('C:\\x.cmd', ['key', arg])).toBeUndefined()
})
