import { expect, test } from 'vitest'
import { parseWslShare, toShare } from '../../../../../src/main/tools/wsl'

test.each([
  ['/', '\\\\wsl.localhost\\Ubuntu\\'],
  ['/home/minh/.claude/settings.json', '\\\\wsl.localhost\\Ubuntu\\home\\minh\\.claude\\settings.json'],
  ['/home//minh/', '\\\\wsl.localhost\\Ubuntu\\home\\minh\\'],
  ['/home/Nguyễn Văn', '\\\\wsl.localhost\\Ubuntu\\home\\Nguyễn Văn'],
])('%s of a distribution is at the share %s', (path, share) => {
  expect(toShare('Ubuntu', path)).toBe(share)
})

test.each(['home/x', '', 'C:\\x', '/a\\b', '/a:b', '/a*', '/a?', '/a"', '/a<b', '/a|b', '/a\nb'])(
  '%j has no share',
  (path) => {
    expect(() => toShare('Ubuntu', path)).toThrow()
  },
)

test.each([
  ['\\\\wsl.localhost\\Ubuntu\\home\\x', { distribution: 'Ubuntu', path: '/home/x' }],
  ['\\\\wsl$\\Debian\\', { distribution: 'Debian', path: '/' }],
  ['\\\\wsl$\\Debian', { distribution: 'Debian', path: '/' }],
  ['\\\\WSL.LOCALHOST\\Ubuntu\\Home', { distribution: 'Ubuntu', path: '/Home' }],
  ['//wsl.localhost/Ubuntu/home/x', { distribution: 'Ubuntu', path: '/home/x' }],
  ['\\\\server\\Ubuntu\\home', undefined],
  ['C:\\Users\\x', undefined],
  ['/home/x', undefined],
])('%s leads to %j', (share, expectedLocation) => {
  expect(parseWslShare(share)).toEqual(expectedLocation)
})
