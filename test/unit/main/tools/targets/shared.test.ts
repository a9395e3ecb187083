import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launcherScript, launcherVariables } from '../../../../../src/main/tools/targets/shared'
import { makeFolder } from '../../../support/folders'

const values = [
  'gw-large',
  'https://plan.example.com/v1',
  "'/opt/my companion/companion' key print --plan 'o'\\''plan' --key k1",
  '$HOME `id` $(id) "quoted" \\n',
  'vendor/gw-coder:free 100%',
  'Nguyễn Văn An',
]

test.each(values)('on Linux and macOS, the program gets %j unchanged, without removed variables', (value) => {
  const folder = makeFolder()
  const variables = [
    { name: 'GIVEN', value },
    { name: 'LEFT', value: undefined },
  ]
  const printEnvScript = `'${process.execPath}' -e 'const { GIVEN, LEFT, GONE } = process.env; console.log(JSON.stringify([GIVEN, LEFT, GONE ?? "unset", process.argv[1]]))'`
  const script = launcherScript(
    { comment: 'c', unset: ['GONE'], variables, command: `${printEnvScript} "$@"` },
    'linux',
  )
  writeFileSync(join(folder, 'start'), script, { mode: 0o700 })
  const env = { GONE: 'there', LEFT: 'left' }
  const { stdout } = spawnSync(join(folder, 'start'), ['an argument'], { env, encoding: 'utf8' })
  expect(JSON.parse(stdout)).toEqual([value, 'left', 'unset', 'an argument'])
  expect(launcherVariables(script)).toEqual({ GIVEN: value })
})

describe('on Windows', () => {
  const renderLauncher = (value: string): string =>
    launcherScript({ comment: 'c', variables: [{ name: 'V', value }], command: 'tool %*' }, 'win32')

  test('special characters of cmd in a value get a caret, and percent signs are doubled', () => {
    expect(renderLauncher('"C:\\R&D ^1\\companion.cmd" key print')).toContain(
      'set "V="C:\\R^&D ^^1\\companion.cmd" key print"\r\n',
    )
    expect(renderLauncher('a&b 100%')).toContain('set "V=a&b 100%%"\r\n')
  })

  test.each([...values, '"C:\\R&D\\a b" key "100"^%" x"'])('%j is read back', (value) => {
    expect(launcherVariables(renderLauncher(value))).toEqual({ V: value })
  })

  test('every line ends with CRLF, and the last one starts the program', () => {
    const lines = launcherScript({ comment: 'c', unset: ['GONE'], command: 'tool %*' }, 'win32').split('\r\n')
    expect(lines).toEqual(['@echo off', 'rem c', 'chcp 65001 >nul', 'setlocal', 'set "GONE="', 'tool %*', ''])
  })
})
