import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellQuote } from '../../../../src/main/core/environment'

const buildArguments = (command: string): string[] =>
  execFileSync('/bin/sh', ['-c', `for each in ${command}; do printf '%s\\0' "$each"; done`])
    .toString()
    .split('\0')
    .slice(0, -1)

test('passes through a real sh unchanged, whatever it contains', () => {
  const argv = ['/opt/My App/com$panion', '', 'é 🦊', ...`it's "q" \`id\` $(id) ~ * a=b -x;y&z|\\n ! #`.split(' ')]
  expect(buildArguments(shellQuote(argv, 'linux'))).toEqual(argv)
})

test('stays readable when nothing needs quoting', () => {
  const command = '/opt/companion key print --plan plan-1'
  expect(shellQuote(command.split(' '), 'darwin')).toBe(command)
})

test.each([
  [['C:\\Program Files\\c.exe', 'key'], '"C:\\Program Files\\c.exe" key'],
  [['C:\\c.cmd', 'a&b|c'], 'C:\\c.cmd "a&b|c"'],
  [['say "hi"'], '"say \\"hi\\""'],
  [['ends with \\', 'x y\\'], '"ends with \\\\" "x y\\\\"'],
  [['C:\\%USER%\\x'], '"C:\\\\"^%"USER"^%"\\x"'],
  [[''], '""'],
])('%j is quoted for cmd', (argv, command) => {
  expect(shellQuote(argv, 'win32')).toBe(command)
})
