import { expect, test } from 'vitest'
import type { Json, OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { tomlEditor } from '../../../../../src/main/tools/editors/toml'
import { getRounds } from '../../../../support/depth'
import { catchFailure } from '../support/refusals'

const set = (path: string, value: Json | undefined): OpenEdit => ({ path: path.split('.'), value })

test.each<[string, string, string, OpenEdit[]?]>([
  ['of a blank text', '', 'a = "x"\nb = 1\n', [set('a', 'x'), set('b', 1)]],
  ['of a byte order mark', '\uFEFF', '\uFEFFa = "x"\n', [set('a', 'x')]],
  ['in its line', 'a  =  "old" # mine\r\nb = 1\r\n', 'a  =  "new" # mine\r\nb = 1\r\n'],
  ['in its lines', 'a = """\none\n""" # mine\n[t]\n', 'a = "new" # mine\n[t]\n'],
  [
    'that is the same, written otherwise',
    "a = 'x'\nn = 1_000\n",
    "a = 'x'\nn = 1_000\n",
    [set('a', 'x'), set('n', 1000)],
  ],
  ['behind those of the root', 'a = 1\n\n[t]\nb = 2\n', 'a = 1\nc = true\n\n[t]\nb = 2\n', [set('c', true)]],
  ['at an end without a line end', 'a = 1', 'a = 1\nb = 2\n', [set('b', 2)]],
  [
    'above the first table and its comment',
    '# mine\r\n\r\n# of t\r\n[t]\r\nb = 2\r\n',
    '# mine\r\n\r\na = 1\r\nc = 2\r\n\r\n# of t\r\n[t]\r\nb = 2\r\n',
    [set('a', 1), set('c', 2)],
  ],
  ['in its table', '[t]\n  b = 2 # b\n\n[u]\n', '[t]\n  b = 2 # b\n  c = 3\n\n[u]\n', [set('t.c', 3)]],
  ['in its table, which is empty', '[t] # t\n[u]\n', '[t] # t\nc = 3\n[u]\n', [set('t.c', 3)]],
  [
    'in a new table, and one within',
    '[[l]]\nx = 1',
    '[[l]]\nx = 1\n\n[p.o]\nname = "O"\nurl = "u"\n\n[p.o.auth]\nargs = ["key", "print"]\n',
    [set('p.o.name', 'O'), set('p.o.auth.args', ['key', 'print']), set('p.o.url', 'u')],
  ],
  ['beside dotted keys', 'p.o.name = "O"\n[t]\n', 'p.o.name = "O"\np.o.url = "u"\n[t]\n', [set('p.o.url', 'u')]],
  [
    'in an inline table',
    'p = { o = { name = "O" } } # p\n',
    'p = { o = { name = "O", url = "u" } } # p\n',
    [set('p.o.url', 'u')],
  ],
  [
    'in an empty inline table',
    'p = {}\n',
    'p = { o = { url = "u", n = 1 } }\n',
    [set('p.o.url', 'u'), set('p.o.n', 1)],
  ],
  ['out of an inline table', 'p = { a = 1, b = [2, 3], c = 4 }\n', 'p = { a = 1, c = 4 }\n', [set('p.b', undefined)]],
  ['in an inline table without blanks', 'p = {a="x",b=2}\n', 'p = {a="new",b=2}\n', [set('p.a', 'new')]],
  [
    'out of an inline table with dotted keys',
    'p = { c = 4, a = 1, s.b = 2 }\n',
    'p = { c = 4 }\n',
    [set('p.a', undefined), set('p.s.b', undefined)],
  ],
  [
    'above a new table, at an end without a line end',
    '[p]\n[q]',
    '[p]\n[q]\ny = 2\n\n\n[p.o]\nx = 1\n',
    [set('p.o.x', 1), set('q.y', 2)],
  ],
  ['gone, with its line', 'a = 1\nb = [\n 2, # two\n] # b\nc = 3\n', 'a = 1\nc = 3\n', [set('b', undefined)]],
  ['gone, where it is not', 'a = 1', 'a = 1', [set('b', undefined), set('t.c', undefined)]],
  ['with a name that needs quotes', '', '[t]\n"x y" = 1\n', [{ path: ['t', 'x y'], value: 1 }]],
  ['with a path of Windows', '', "a = 'C:\\new'\n", [set('a', 'C:\\new')]],
  ['with quotes, a backslash and a line end', '', `a = "'\\"\\\\\\n\\u007f"\n`, [set('a', `'"\\\n\u007f`)]],
  [
    'that is an object',
    '',
    'a = { x = 1, "y z" = [true, { n = 0.5 }] }\n',
    [set('a', { x: 1, 'y z': [true, { n: 0.5 }] })],
  ],
])('a value %s', (_name, originalText, editedText, edits = [set('a', 'new')]) => {
  expect(tomlEditor.edit(originalText, edits)).toBe(editedText)
  expect(tomlEditor.edit(editedText, edits)).toBe(editedText)
  expect(tomlEditor.remove(editedText, edits, originalText)).toBe(originalText)
})

test.each<[string, string, string | undefined, string]>([
  ['it was not there', 'x = 1\na = 2\ny = 3\n', 'x = 1\n', 'x = 1\ny = 3\n'],
  ['it was otherwise', 'a = 2 # new\ny = 3\n', "a = 'old' # mine\n", "a = 'old' # new\ny = 3\n"],
  ['its line went', 'y = 3', "a = 'old' # mine\n", "y = 3\na = 'old' # mine\n"],
  ['nothing is known', 'x = 1\na = 2', undefined, 'x = 1\n'],
])('a removal restores the earlier setting when %s', (_name, text, original, restoredText) => {
  expect(tomlEditor.remove(text, [{ path: ['a'] }], original)).toBe(restoredText)
})

test.each<[string, string, string]>([
  ['what is left in them', '[p.o]\nname = "O"\ntheirs = 1\n\n[p.o.auth]\ncommand = "c"\n', '[p.o]\ntheirs = 1\n'],
  ['a comment in them', 'x = 1\n\n[p.o]\n# mine\nname = "O"\n', 'x = 1\n\n[p.o]\n# mine\n'],
  ['nothing', 'x = 1\n\n[p.o]\nname = "O"\n\n[p.o.auth]\ncommand = "c"\n\n[theirs]\n', 'x = 1\n\n[theirs]\n'],
])('a removal leaves %s of the tables that were added', (_name, text, remainingText) => {
  const ownedPaths = [{ path: ['p', 'o', 'name'] }, { path: ['p', 'o', 'auth', 'command'] }]
  expect(tomlEditor.remove(text, ownedPaths, 'y = 1\n')).toBe(remainingText)
})

test.each<[string, string, string[], string, string]>([
  ['an earlier table stays when it becomes empty', 'x = 2\n[p]\na = 1\n', ['p.a'], 'x = 1\n[p]\n', 'x = 2\n[p]\n'],
  ['a table that the user wrote again stays', '[p.s]\nb = 2\n', ['p.s'], '[p.s]\na = 1\n', '[p.s]\nb = 2\n'],
  ['a table that replaced our setting stays', 'b = 1\n[a]\nx = 1\n', ['a', 'b'], '', '[a]\nx = 1\n'],
])('%s', (_name, text, paths, original, remainingText) => {
  const ownedPaths = paths.map((path) => ({ path: path.split('.') }))
  expect(tomlEditor.remove(text, ownedPaths, original)).toBe(remainingText)
})

test.each<[string, string, string]>([
  [
    'by headers',
    'x = 1\r\n\r\n# of s\r\n[p.s] # s\r\na = 1\r\n# in s\r\n[p.s.env]\r\nT = 1 # t\r\n# of q\r\n[q]\r\n[p.s.late]',
    'x = 1\r\n\r\n# of s\r\n# of q\r\n[q]\r\n',
  ],
  ['by names of lines', '[p]\ns.a = 1 # a\nr = 1\ns.b.c = [\n 1,\n]\n', '[p]\nr = 1\n'],
  ['in an inline table', 'p = { s.a = 1, r = 1, s.b = 2 } # p\n', 'p = { r = 1 } # p\n'],
  ['in both ways', '[p]\ns.a = 1\n\n[p.s.env]\nT = 1\n', '[p]\n'],
  ['with a list of tables', '[p.s]\n[[p.s.l]]\nx = 1\n[[p.s.l]]\n[p.t]\n', '[p.t]\n'],
])('a table %s is removed completely and restored', (_name, originalText, editedText) => {
  expect(tomlEditor.edit(originalText, [set('p.s', undefined)])).toBe(editedText)
  expect(tomlEditor.remove(editedText, [{ path: ['p', 's'] }], originalText)).toBe(originalText)
  const [was, back] = [
    originalText,
    tomlEditor.remove(`z = 1\n${editedText}`, [{ path: ['p', 's'] }], originalText),
  ].map((text) => tomlEditor.parse(text))
  expect(back).toEqual({ ok: true, value: { ...(was?.ok ? was.value : {}), z: 1 } })
})

test.each<[string, string, number]>([
  ['a bracket that is not closed', 'x = 1\r\nsecret-thing = [2\r\n', 3],
  ['a key that stands twice', 'x = 1\nsecret-thing = 1\nsecret-thing = 2\n', 3],
  ['a table that stands twice', '[t]\n[u]\n[t]\n', 3],
])('%s is refused with its line', (_name, text, line) => {
  const expectedParseFailure = { code: 'file.unparsable', line, message: expect.not.stringContaining('secret-thing') }
  expect(tomlEditor.parse(text)).toEqual({ ok: false, error: expectedParseFailure })
  expect(catchFailure(() => tomlEditor.edit(text, [set('new', 1)]))).toEqual(expectedParseFailure)
  expect(catchFailure(() => tomlEditor.remove(text, [{ path: ['new'] }], text))).toEqual(expectedParseFailure)
})

test.each<[string, string, string, string]>([
  ['below a value', 'x = 1\np = "text"\n', 'p.o', 'p'],
  ['below a value in an inline table', '\np = { o = 1 }\n', 'p.o.name', 'p.o'],
  ['in a list of tables', 'x = 1\n[[p]]\n', 'p.o', 'p'],
  ['that is a table', 'x = 1\n[p.o]\n', 'p.o', 'p.o'],
  ['that is a table by its parts', 'x = 1\np.o.q = 1\n', 'p.o', 'p.o'],
])('a setting %s is refused with its line', (_name, text, path, field) => {
  const expectedFailure = { code: 'file.unparsable', line: 2, field }
  expect(catchFailure(() => tomlEditor.edit(text, [set(path, 'x')]))).toMatchObject(expectedFailure)
})

test.each<[string, Json]>([
  ['null', null],
  ['half of a character', '\ud800'],
])('%s cannot be written and is not shown', (_name, value) => {
  const failure = { code: 'input.invalid', field: 'a', message: expect.any(String) }
  expect(catchFailure(() => tomlEditor.edit('', [set('a', value)]))).toEqual(failure)
})

test('settings are read in every notation', () => {
  const text =
    'a.b = 1\n[[l]]\nx = inf\n[[l]]\n[l.y]\nd = 1979-05-27\n[t]\n"__proto__" = { z.w = [9007199254740993] }\n'
  const parsedDocument = tomlEditor.parse(text)
  const expectedJson =
    '{"a":{"b":1},"l":[{"x":"inf"},{"y":{"d":"1979-05-27"}}],"t":{"__proto__":{"z":{"w":["9007199254740993"]}}}}'
  expect(JSON.stringify(parsedDocument.ok && parsedDocument.value)).toBe(expectedJson)
})

test.each([
  ['a secret name', 'api_key = "abc" # mine\nx = 1\n', 'api_key = "[secret]" # mine\nx = 1\n'],
  ['many lines', "token = '''one\r\ntwo'''\r\nx = 1", 'token = "[secret]"\r\n\r\nx = 1'],
  ['a name of its table', '[auth.token]\nvalue = "abc"\n', '[auth.token]\nvalue = "[secret]"\n'],
  ['an inline table', 'h = { Authorization = "abc", x = 1 }', 'h = { Authorization = "[secret]", x = 1 }'],
  [
    'an option before it',
    'auth.args = ["key", "--token", "abc", "b"]',
    'auth.args = ["key", "--token", "[secret]", "b"]',
  ],
  ['the form of a secret', 'note = "use sk-abcdef123456" # sk-abcdef123456', 'note = "use [secret]" # [secret]'],
  ['a comment', '# api_key = "abc"\n', '# api_key = "[secret]"\n'],
  ['what does not parse', 'api_key = "abc\nx = 1\n', '[secret]\n[secret]\n'],
])('a secret is masked: %s', (_name, text, maskedText) => {
  expect(tomlEditor.mask(text)).toBe(maskedText)
})

test('nothing else is masked', () => {
  const text =
    '\uFEFF# mine\r\n[p.o]\r\nenv_key = "MY_KEY"\r\nbase_url = "http://127.0.0.1:1/v1"\r\nmax_tokens = 8192\r\n'
  expect(tomlEditor.mask(text).replace('"[secret]"', '"MY_KEY"')).toBe(text)
})

test('a long text is edited and restored', () => {
  const text = `${Array.from({ length: getRounds(10_000, 60_000) }, (_, index) => `# ${index}\n"name ${index}" = "a value that is long enough to fill a file"`).join('\n')}\n`
  const edits = Array.from({ length: 20 }, (_, index) => set(`new.n${index}`, index))
  const editedText = tomlEditor.edit(text, edits)
  expect(editedText.startsWith(text)).toBe(true)
  expect(tomlEditor.remove(editedText, edits, text)).toBe(text)
}, 60_000)
