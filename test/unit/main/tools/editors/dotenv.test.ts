import { expect, test } from 'vitest'
import { dotenvEditor } from '../../../../../src/main/tools/editors/dotenv'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { catchFailure } from '../support/refusals'

const set = (name: string, value: string | undefined): OpenEdit => ({ path: [name], value })

test.each<[string, string, OpenEdit[], string]>([
  ['of a blank text', '', [set('A', '1')], 'A=1\n'],
  ['of a byte order mark', '\uFEFF', [set('A', '1')], '\uFEFFA=1\n'],
  ['at the end', '# mine\nX=1\n', [set('A', '1'), set('B', '2')], '# mine\nX=1\nA=1\nB=2\n'],
  ['at an end without a line end', 'X=1', [set('A', '1')], 'X=1\nA=1\n'],
  ['at an end with another line end', 'X=1\r\nY=2', [set('A', '1')], 'X=1\r\nY=2\r\nA=1\r\n'],
  ['in its line', 'export A = "old" # mine\nX=1\n', [set('A', 'new')], 'export A = new # mine\nX=1\n'],
  ['in a line with a colon', 'A: old\n', [set('A', 'new')], 'A: new\n'],
  ['in its lines', 'A="one\ntwo" # mine\nX=1', [set('A', 'new')], 'A=new # mine\nX=1'],
  ['where none was', 'A=\nX=1\n', [set('A', 'new')], 'A=new\nX=1\n'],
  ['where none was, before a comment', 'A= # mine\n', [set('A', 'new')], 'A=new # mine\n'],
  ['before a comment without a blank', 'A=old#mine\n', [set('A', 'new')], 'A=new #mine\n'],
  ['that is the same, in other quotes', '  A = `x y`\n', [set('A', 'x y')], '  A = `x y`\n'],
  ['gone, with its line', 'X=1\nexport A="one\ntwo" # mine\n# end\n', [set('A', undefined)], 'X=1\n# end\n'],
  ['gone, from the end', 'X=1\nA=2', [set('A', undefined)], 'X=1\n'],
  ['gone, where it is not', 'X=1', [set('A', undefined)], 'X=1'],
  ['beside lines that mean nothing', '=x\nhello\nexport A\n', [set('A', '1')], '=x\nhello\nexport A\nA=1\n'],
  ['with blanks', '', [set('A', 'a b#c')], "A='a b#c'\n"],
  ['that is empty', '', [set('A', '')], "A=''\n"],
  ['with a single quote', '', [set('A', "it's `x`")], 'A="it\'s `x`"\n'],
  ['with a path of Windows', '', [set('A', 'C:\\new')], "A='C:\\new'\n"],
])('a value %s', (_name, originalText, edits, editedText) => {
  expect(dotenvEditor.edit(originalText, edits)).toBe(editedText)
  expect(dotenvEditor.edit(editedText, edits)).toBe(editedText)
  expect(dotenvEditor.remove(editedText, edits, originalText)).toBe(originalText)
})

test.each<[string, string, string | undefined, string]>([
  ['it was not there', 'X=1\nA=2\nY=3\n', 'X=1\n', 'X=1\nY=3\n'],
  ['it was otherwise', 'export A=2 # mine\nY=3\n', 'A="1"\n', 'export A="1" # mine\nY=3\n'],
  ['its line went', 'Y=3', 'export A="1" # old\n', 'Y=3\nexport A="1" # old\n'],
  ['nothing is known', 'X=1\nA=2', undefined, 'X=1\n'],
])('a removal restores the earlier setting when %s', (_name, text, original, restoredText) => {
  expect(dotenvEditor.remove(text, [{ path: ['A'] }], original)).toBe(restoredText)
})

test.each<[string, string, number]>([
  ['a quote that is not closed', 'X=1\r\nA="x\r\nB=1', 2],
  ['a quote that is closed too late', 'A="x\nB="y"', 1],
  ['a quote that is only closed behind a backslash', "A=1\n\nB='C:\\'\n", 3],
  ['a name whose sign is on the next line', 'A=1\nB\n="y"\n', 2],
  ['a name whose sign comes behind blank lines', 'export B \r\n\r\n = y', 1],
])('%s is refused with its line', (_name, text, line) => {
  const expectedFailure = { code: 'file.unparsable', line, message: expect.not.stringContaining('x') }
  expect(dotenvEditor.parse(text)).toEqual({ ok: false, error: expectedFailure })
  expect(catchFailure(() => dotenvEditor.edit(text, [set('NEW', '1')]))).toEqual(expectedFailure)
  expect(catchFailure(() => dotenvEditor.remove(text, [{ path: ['NEW'] }], text))).toEqual(expectedFailure)
})

test.each(['no sign here\nB=1\n', 'A\nB=1\n', '# A\n=1\n', 'A="1"\n=2\n'])('ignored lines are kept: %j', (text) => {
  expect(dotenvEditor.edit(text, [set('NEW', '1')])).toBe(`${text}NEW=1\n`)
})

test('an owned name with two assignments is refused with the line of the second', () => {
  const expectedFailure = { code: 'file.unparsable', line: 3 }
  expect(catchFailure(() => dotenvEditor.edit('A=1\nB=2\nA=3\n', [set('A', '1')]))).toMatchObject(expectedFailure)
  expect(dotenvEditor.edit('A=1\nB=2\nA=3\n', [set('B', '3')])).toBe('A=1\nB=3\nA=3\n')
})

test.each([
  ['two lines', 'sk-x\ny'],
  ['both quotes', `sk-x'"`],
  ['a quote and a backslash', "sk-x'\\"],
  ['a reference that some readers resolve', "sk-x'$HOME"],
  ['a backslash at its end', 'sk-x\\'],
  ['a reference in braces', 'sk-$' + '{X}\\'],
])('a value with %s is refused by its name without showing it', (_name, value) => {
  const failure = { code: 'input.invalid', field: 'KEY', message: expect.not.stringContaining('sk-') }
  expect(catchFailure(() => dotenvEditor.edit('', [set('KEY', value)]))).toEqual(failure)
})

test.each([
  ['a secret name', 'GW_KEY=abc\nX=1\n', 'GW_KEY=[secret]\nX=1\n'],
  ['quotes', 'export GW_KEY="abc" # mine', 'export GW_KEY=[secret] # mine'],
  ['many lines', 'GW_KEY="one\r\ntwo"\r\nX=1', 'GW_KEY=[secret]\r\n\r\nX=1'],
  ['the form of a secret', 'NOTE=use sk-abcdef123456 now\n', 'NOTE=use [secret] now\n'],
  [
    'a comment',
    '# GW_KEY=abc \n# see sk-abcdef123456\nX=1 # sk-abcdef123456',
    '# GW_KEY=[secret] \n# see [secret]\nX=1 # [secret]',
  ],
  ['a quote that is not closed', 'GW_KEY="abc\ndef\n', 'GW_KEY=[secret]\n[secret]\n'],
  ['an address', 'URL=https://me:pw@host/x', 'URL=https://[secret]@host/x'],
  ['a byte order mark', '\uFEFFGW_KEY=abc', '\uFEFFGW_KEY=[secret]'],
])('a secret is masked: %s', (_name, text, maskedText) => {
  expect(dotenvEditor.mask(text)).toBe(maskedText)
})

test.each([
  ['nothing secret', 'X=1\n\n# mine\nMAX_TOKENS=8192\nKEY_FILE=/home/me/k\n'],
  ['a reference', 'GW_KEY=$OTHER\nOTHER_KEY=\n'],
])('%s stays unchanged', (_name, text) => {
  expect(dotenvEditor.mask(text)).toBe(text)
})
