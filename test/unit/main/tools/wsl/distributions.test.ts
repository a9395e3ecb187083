import { describe, expect, it, test } from 'vitest'
import { parseDistributions, toShare } from '../../../../../src/main/tools/wsl'

const encodeUtf16 = (text: string, mark = ''): Buffer => Buffer.from(mark + text, 'utf16le')
const encodeUtf8 = (text: string): Buffer => Buffer.from(text)

const verboseOutput = [
  '  NAME                   STATE           VERSION',
  '* Ubuntu-24.04           Running         2',
  '  Debian                 Stopped         1',
  '  docker-desktop         Running         2',
  '  docker-desktop-data    Stopped         2',
  '',
].join('\r\n')

const expectedDistributions = ['Ubuntu-24.04', 'Debian']

describe('the list of distributions', () => {
  test.each([
    ['UTF-16', encodeUtf16(verboseOutput)],
    ['UTF-16 with a byte order mark', encodeUtf16(verboseOutput, '\uFEFF')],
    ['UTF-8', encodeUtf8(verboseOutput)],
    ['blank lines between', encodeUtf16(verboseOutput.replaceAll('\r\n', '\r\n\r\n'))],
    ['bare line feeds', encodeUtf16(verboseOutput.replaceAll('\r\n', '\n'))],
    ['carriage returns doubled', encodeUtf16(verboseOutput.replaceAll('\r\n', '\r\r\n'))],
  ])('is read from %s, without internal distributions', (_case, printed) => {
    expect(parseDistributions(printed)).toEqual(expectedDistributions)
  })

  it('is read from the quiet output', () => {
    expect(parseDistributions(encodeUtf16('Ubuntu-24.04\r\nDebian\r\n'))).toEqual(expectedDistributions)
  })

  it('is read in another language with longer words', () => {
    const germanWslOutput =
      '  NAME      STATUS          VERSION\r\n* Ubuntu    Wird ausgeführt 2\r\n  Debian    Beendet         2\r\n'
    expect(parseDistributions(encodeUtf16(germanWslOutput))).toEqual(['Ubuntu', 'Debian'])
  })

  test.each([
    ['nothing', ''],
    ['a message', 'Windows Subsystem for Linux has no installed distributions.\r\n'],
    ['a message of several lines', 'There is none.\r\nUse "wsl.exe --list --online" to list 2\r\n'],
    ['a name with a blank in it', '  My Distro    Stopped         2\r\n'],
    ['a name that is an option', '  --shutdown    Stopped         2\r\n'],
    ['a name with a path in it', '  ..\\x    Stopped         2\r\n  .    Stopped         2\r\n'],
  ])('is empty for %s', (_case, printed) => {
    expect(parseDistributions(encodeUtf16(printed))).toEqual([])
  })
})

test.each(['', '-d', '--exec', 'a b', 'a"b', 'a&b', '..', '.hidden', 'a/b', 'a\\b', 'a\0', 'a\n', 'x'.repeat(65)])(
  '%j is not a distribution name',
  (name) => {
    expect(() => toShare(name, '/')).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'input.invalid' }) }),
    )
  },
)

test.each(['Ubuntu', 'Ubuntu-24.04', 'kali-linux', 'my_own.1', '_x'])('%s is a distribution name', (name) => {
  expect(toShare(name, '/')).toBe(`\\\\wsl.localhost\\${name}\\`)
})
