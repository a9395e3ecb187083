import { expect, test } from 'vitest'
import type { Json, OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { jsoncEditor, jsonEditor } from '../../../../../src/main/tools/editors/json'
import { getRounds } from '../../../../support/depth'
import { catchFailure } from '../support/refusals'

const set = (path: string, value: Json | undefined): OpenEdit => ({ path: path.split('/'), value })
const member = (present: boolean): OpenEdit => ({ path: ['l'], member: 'b', present })

test.each<[string, string, string, OpenEdit[]?]>([
  ['a blank text', ' \n', '{\n  "a": 1\n}\n'],
  ['a blank text with a byte order mark', '\uFEFF', '\uFEFF{\n  "a": 1\n}\n'],
  ['a line break of the old kind', '{\r  "x": 1\r}', '{\r  "x": 1,\r  "a": 1\r}'],
  ['one line', '{"x":1}', '{"x":1,"a":{"b":[1,{"c":2}]}}', [set('a/b', [1, { c: 2 }])]],
  ['one line with blanks', '{ "x": 1 }', '{ "x": 1, "a": { "b": [1, 2] } }', [set('a/b', [1, 2])]],
  ['an empty object in one line', '{ "env": {} }', '{ "env": { "a": "b" } }', [set('env/a', 'b')]],
  ['an empty object in many lines', '{\n\t"env": {}\n}', '{\n\t"env": {\n\t\t"a": "b"\n\t}\n}', [set('env/a', 'b')]],
  ['a trailing comma', '{\n  "x": 1,\n}', '{\n  "x": 1,\n  "a": 1,\n}'],
  ['a comment behind the last', '{\n  "x": 1 // one\n}', '{\n  "x": 1, // one\n  "a": 1\n}'],
  ['a block comment in an empty object', '{ /* none */ }', '{ /* none */\n  "a": 1\n}'],
  [
    'a value of the same meaning',
    '{ "a": "\\u0062", "c": 1.0 }',
    '{ "a": "\\u0062", "c": 1.0 }',
    [set('a', 'b'), set('c', 1)],
  ],
  [
    'a setting of the name __proto__',
    '{ "__proto__": { "x": 1 } }',
    '{ "__proto__": { "x": 1, "y": 2 } }',
    [set('__proto__/y', 2)],
  ],
  ['two in one, one out', '{ "a": 1, "b": 2 }', '{ "b": 2, "c": 3 }', [set('a', undefined), set('c', 3)]],
  ['all out', '{\n  "a": 1,\n  "b": 2\n}', '{}', [set('a', undefined), set('b', undefined)]],
  ['the last out of many lines', '{\n  "a": 1, // one\n  "b": 2\n}', '{\n  "a": 1 // one\n}', [set('b', undefined)]],
  [
    'one before a comment of its line',
    '{\n  "a": 1, // one\n  "b": 2\n}',
    '{\n  // one\n  "b": 2\n}',
    [set('a', undefined)],
  ],
  [
    'one between comments of one line',
    '{ "a": 1, /* x */ "b": 2 /* y */ }',
    '{ "a": 1 /* x */ /* y */ }',
    [set('b', undefined)],
  ],
  ['one into an empty list', '{ "l": [] }', '{ "l": ["b"] }', [member(true)]],
  [
    'one into a list of many lines',
    '{\n  "l": [\n    "a"\n  ]\n}',
    '{\n  "l": [\n    "a",\n    "b"\n  ]\n}',
    [member(true)],
  ],
  ['one twice out of a list', '{ "l": ["b", "a", "b"] }', '{ "l": ["a"] }', [member(false)]],
  ['a list that does not exist', '{ "x": 1 }', '{ "x": 1 }', [member(true)]],
])('an edit of %s', (_name, originalText, editedText, edits = [set('a', 1)]) => {
  expect(jsoncEditor.edit(originalText, edits)).toBe(editedText)
})

test.each<[string, string, string, object]>([
  ['a parent that is text', '{\n  "a": "x"\n}', 'a/b', { code: 'file.unparsable', field: 'a', line: 2 }],
  ['a parent that is a list', '{ "a": { "b": [] } }', 'a/b/c', { code: 'file.unparsable', field: 'a.b', line: 1 }],
  ['a name that stands twice', '{ "a": 1,\n "a": 2 }', 'a', { code: 'file.unparsable', field: 'a', line: 2 }],
  ['a parent that stands twice', '{ "a": {},\n\n "a": {} }', 'a/b', { code: 'file.unparsable', field: 'a', line: 3 }],
])('%s is refused with its name and line', (_name, text, path, failure) => {
  expect(catchFailure(() => jsoncEditor.edit(text, [set(path, 1)]))).toMatchObject(failure)
})

test.each<[string, string, boolean, string, number | undefined]>([
  ['a missing comma', '{\n"a": 1\n"b": 2}', false, 'file.unparsable', 3],
  ['a cut off text', '{\r\n"a": ', false, 'file.unparsable', 2],
  ['a cut off comment', '{ "a": 1 }\n/* x', false, 'file.unparsable', 2],
  ['two values', '{}\n{}', false, 'file.unparsable', 2],
  ['a tab in a string', '{ "a": "x\ty" }', false, 'file.unparsable', 1],
  ['a comment, for a strict tool', '{\n"a": 1 // x\n}', true, 'file.notStrict', 2],
  ['a trailing comma, for a strict tool', '{\n"a": [1,\n],\n}', true, 'file.notStrict', 2],
])('%s is reported with its line', (_name, text, isStrict, code, line) => {
  const parsedDocument = (isStrict ? jsonEditor : jsoncEditor).parse(text)
  expect(parsedDocument).toMatchObject({ ok: false, error: { code, line } })
})

test('a text nested deeper than the parser supports is refused without a crash', () => {
  const text = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  expect(catchFailure(() => jsoncEditor.edit(text, [set('b', 1)]))).toMatchObject({ code: 'file.unparsable' })
})

const MANY_ITEMS = getRounds(5_000, 40_000)
const providers = Array.from({ length: MANY_ITEMS }, (_, index) => ({
  name: `n${index}`,
  url: `https://x.example/${index}`,
}))
const members = Object.fromEntries(
  Array.from({ length: MANY_ITEMS * 3 }, (_, index) => [`setting-${index}`, `v ${index}`]),
)

test.each([
  ['members', JSON.stringify(members, null, 2)],
  ['members in one line', JSON.stringify(members)],
  ['elements', JSON.stringify({ providers }, null, 2)],
  ['elements in one line', JSON.stringify({ providers })],
])(
  'a large file of %s is edited, masked and restored in linear time',
  (_name, text) => {
    const edits = Array.from({ length: 100 }, (_, index): OpenEdit[] => [
      { path: ['new', `${index}`], value: index },
      {
        path: ['providers'],
        element: { name: `new${index}` },
        value: { name: `new${index}` },
        isFirst: index % 2 === 0,
      },
    ]).flat()
    const editedText = jsonEditor.edit(text, edits)
    expect(jsonEditor.mask(editedText)).toBe(editedText)
    expect(jsonEditor.remove(editedText, edits, undefined)).toBe(text)
  },
  180_000,
)

test.each<[string, string, string[], string | undefined, string]>([
  ['a value that was there', '{ "a": 2, "x": 1 }', ['a'], '{ "a": /* old */ 1 }', '{ "a": 1, "x": 1 }'],
  [
    'a value that we took out, comments and all',
    '{ "x": 1 }',
    ['a'],
    '{ "a": /* old */ [1 /* y */] }',
    '{ "x": 1, "a": /* old */ [1 /* y */] }',
  ],
  ['a parent that only we filled', '{ "x": 1, "p": { "q": { "a": 1 } } }', ['p/q/a'], '{}', '{ "x": 1 }'],
  ['a parent that was empty', '{ "x": 1, "p": { "a": 1 } }', ['p/a'], '{ "p": {} }', '{ "x": 1, "p": {} }'],
  ['a parent with somebody else’s setting', '{ "p": { "a": 1, "b": 2 } }', ['p/a'], '{}', '{ "p": { "b": 2 } }'],
  ['a parent with a comment in it', '{ "p": { "a": 1 /* mine */ } }', ['p/a'], undefined, '{ "p": { /* mine */ } }'],
  ['a parent that went', '{ "x": 1 }', ['p/a'], '{ "p": { "a": 1 } }', '{ "x": 1, "p": { "a": 1 } }'],
  [
    'a value from a file that its tool wrote again, which restores every byte',
    '{\n  "ours": 1,\n  "a": 1,\n  "b": [\n    1,\n    2\n  ]\n}\n',
    ['ours'],
    '{"b":[1,2],\n\t"a" : 1}',
    '{"b":[1,2],\n\t"a" : 1}',
  ],
  [
    'a value from a file with new comments, which stay',
    '{\n  "a": 1, // theirs\n  "ours": 1\n}',
    ['ours'],
    '{"a":1}',
    '{\n  "a": 1 // theirs\n}',
  ],
])('a removal of %s', (_name, text, paths, original, restoredText) => {
  const ownedPaths = paths.map((path) => ({ path: path.split('/') }))
  expect(jsoncEditor.remove(text, ownedPaths, original)).toBe(restoredText)
})

test('the strict form only loses comments, lines that held only comments, and trailing commas', () => {
  const text =
    '// top\r\n{\r\n  /* a\r\n  b */\r\n  "x": [1, /* i */ 2,], // end\r\n  "url": "http://x//y", \r\n}\r\n// last'
  expect(jsonEditor.toStrict?.(text)).toBe('{\r\n  "x": [1,  2],\r\n  "url": "http://x//y" \r\n}\r\n')
})

const element = (name: string, extraMembers: { readonly [key: string]: Json } = {}, isFirst = false): OpenEdit => ({
  path: ['l'],
  element: { name },
  value: { name, ...extraMembers },
  isFirst,
})
const removeElement = (name: string): OpenEdit => ({ path: ['l'], element: { name }, value: undefined })
const rootElement: OpenEdit = { path: [], element: { a: 'x' }, value: { a: 'x' } }

test.each<[string, string, string, OpenEdit[]?]>([
  ['into a list that does not exist', '{}', '{\n  "l": [\n    {\n      "name": "a"\n    }\n  ]\n}'],
  ['into an empty list', '{ "l": [] }', '{ "l": [{ "name": "a" }] }'],
  [
    'at the front and the end of one line, in order',
    '{ "l": [{ "name": "x" }] }',
    '{ "l": [{ "name": "b" }, { "name": "c" }, { "name": "x" }, { "name": "a" }, { "name": "d" }] }',
    [element('a'), element('b', {}, true), element('c', {}, true), element('d')],
  ],
  [
    'as neighbours that stand on one line each',
    '{\n\t"l": [\n\t\t{ "name": "x" },\n\t]\n}',
    '{\n\t"l": [\n\t\t{ "name": "b" },\n\t\t{ "name": "x" },\n\t\t{ "name": "a", "v": [1] },\n\t]\n}',
    [element('a', { v: [1] }), element('b', {}, true)],
  ],
  [
    'as neighbours that stand on many lines',
    '{\r\n  "l": [\r\n    {\r\n      "name": "x"\r\n    }\r\n  ]\r\n}',
    '{\r\n  "l": [\r\n    {\r\n      "name": "x"\r\n    },\r\n    {\r\n      "name": "a",\r\n      "v": 1\r\n    }\r\n  ]\r\n}',
    [element('a', { v: 1 })],
  ],
  [
    'in front of a comment that belongs to the first',
    '{\n  "l": [ // mine\n    // x\n    { "name": "x" }\n  ]\n}',
    '{\n  "l": [ // mine\n    { "name": "a" },\n    // x\n    { "name": "x" }\n  ]\n}',
    [element('a', {}, true)],
  ],
  [
    'in place of the one that matches',
    '{ "l": [{ "name": "x" }, /* ours */ { "v": 1, "name": "a" }, 7] }',
    '{ "l": [{ "name": "x" }, /* ours */ { "name": "a", "v": 2 }, 7] }',
    [element('a', { v: 2 }, true)],
  ],
  [
    'that is there already, written otherwise',
    '{ "l": [{ "v": 1.0, "n\\u0061me": "a" }] }',
    '{ "l": [{ "v": 1.0, "n\\u0061me": "a" }] }',
    [element('a', { v: 1 })],
  ],
  [
    'out of many',
    '{ "l": [{ "name": "a" }, { "name": "x" }, 1] }',
    '{ "l": [{ "name": "x" }, 1] }',
    [removeElement('a')],
  ],
  [
    'out, another in',
    '{\n  "l": [\n    { "name": "a" }, // a\n    { "name": "b" }\n  ]\n}',
    '{\n  "l": [\n    // a\n    {\n      "name": "c"\n    }\n  ]\n}',
    [removeElement('a'), removeElement('b'), element('c')],
  ],
  [
    'beside a text of the list',
    '{ "l": ["t", { "name": "x" }] }',
    '{ "l": [{ "name": "x" }, { "name": "a" }] }',
    [element('a'), { path: ['l'], member: 't', present: false }],
  ],
])('an element %s', (_name, originalText, editedText, edits = [element('a')]) => {
  expect(jsoncEditor.edit(originalText, edits)).toBe(editedText)
  expect(jsoncEditor.remove(editedText, edits, originalText)).toBe(originalText)
})

test.each<[string, string, OpenEdit[], string]>([
  ['a blank text', '', [rootElement], '[\n  {\n    "a": "x"\n  }\n]\n'],
  ['a list', '[{"a":"y"}]\n', [rootElement], '[{"a":"y"},{"a":"x"}]\n'],
  ['a list, out', '[1, {"a":"x"}]', [{ ...rootElement, value: undefined }], '[1]'],
])('a list at the root: %s', (_name, originalText, edits, editedText) => {
  expect(jsonEditor.edit(originalText, edits)).toBe(editedText)
  expect(jsonEditor.remove(editedText, edits, originalText)).toBe(originalText)
  expect(jsonEditor.parse(editedText)).toEqual({ ok: true, value: JSON.parse(editedText) })
})

test.each<[string, string, OpenEdit, object]>([
  ['an element of what is no list', '{\n "l": {}\n}', element('a'), { field: 'l', line: 2 }],
  ['an element that is there twice', '{ "l": [{"name":"a"},\n{"name":"a"}] }', element('a'), { field: 'l', line: 2 }],
  ['an element of an object', '\n\n{}', rootElement, { line: 3 }],
])('%s is refused with its line', (_name, text, edit, failure) => {
  const expectedFailure = { code: 'file.unparsable', ...failure }
  expect(catchFailure(() => jsoncEditor.edit(text, [edit]))).toMatchObject(expectedFailure)
  expect(catchFailure(() => jsoncEditor.remove(text, [edit], undefined))).toMatchObject(expectedFailure)
})

test.each<[string, string, string | undefined, string]>([
  ['a list that was empty', '{ "x": 1, "l": [{ "name": "a" }] }', '{ "l": [] }', '{ "x": 1, "l": [] }'],
  ['a list with a comment in it', '{ "l": [{ "name": "a" } /* mine */] }', undefined, '{ "l": [/* mine */] }'],
  [
    'one that was otherwise',
    '{ "x": 1, "l": [{ "name": "a" }] }',
    '{"l":[{"name":"a","v":1}]}',
    '{ "x": 1, "l": [{"name":"a","v":1}] }',
  ],
  [
    'one that was between others',
    '{ "x": 1, "l": [1, 2, 2, 3] }',
    '{"l":[1,2,2,{"name":"a"},3]}',
    '{ "x": 1, "l": [1, 2, 2, {"name":"a"}, 3] }',
  ],
  ['one whose list went', '{ "x": 1 }', '{"l":[1,{"name":"a"}]}', '{ "x": 1, "l": [{"name":"a"}] }'],
])('a removal of an element: %s', (_name, text, original, restoredText) => {
  expect(jsoncEditor.remove(text, [{ path: ['l'], element: { name: 'a' } }], original)).toBe(restoredText)
})
