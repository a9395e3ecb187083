import { describe, expect, test } from 'vitest'
import { parse as parseWithLibrary } from 'yaml'
import type { Json, OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { yamlEditor } from '../../../../../src/main/tools/editors/yaml'
import { catchFailure } from '../support/refusals'

const { parse, edit, remove, mask } = yamlEditor

const set = (path: string, value: Json | undefined): OpenEdit => ({ path: path.split('/'), value })
const member = (name: string, text: string, present = true): OpenEdit => ({ path: [name], member: text, present })
const element = (list: string, value: { readonly name: string } & Json, isFirst = false): OpenEdit => {
  const { name } = value
  return { path: [list], element: { name }, value, isFirst }
}
const noElement = (list: string, name: string): OpenEdit => ({ path: [list], element: { name }, value: undefined })
const removals = (...paths: readonly string[]): OpenEdit[] => paths.map((path) => set(path, undefined))
const ownItem = { name: 'Ours', model: 'gw' }

test.each<[string, string, string, OpenEdit[]?]>([
  ['a blank text', ' \n', 'a: 1\n'],
  ['a blank text with a byte order mark', '\uFEFF', '\uFEFFa: 1\n'],
  ['a text of comments', '# one\n\n# two', '# one\n\n# two\na:\n  b: 1\n', [set('a/b', 1)]],
  ['a directive and markers', '%YAML 1.2\n---\nx: 1\n...\n', '%YAML 1.2\n---\nx: 1\na: 1\n...\n'],
  ['markers around nothing', '--- # c\n...\n', '--- # c\na: 1\n...\n'],
  ['no final newline', 'x: 1', 'x: 1\na: 1'],
  ['blank lines at the end', 'x: 1\n\n\n', 'x: 1\na: 1\n\n\n'],
  ['line ends of the other kind', 'x: 1\r\ny:\r\n  z: 2\r\n', 'x: 1\r\ny:\r\n  z: 2\r\n  a: 1\r\n', [set('y/a', 1)]],
  [
    'four blanks of indentation',
    'x:\n    y: 1\n',
    'x:\n    y: 1\na:\n    b:\n        c:\n            - 1\n',
    [set('a/b', { c: [1] })],
  ],
  [
    'lists that stand below their key',
    'x:\n- 1\n',
    'x:\n- 1\na:\n- b\n- - c\n  - d\n- {}\n',
    [set('a', ['b', ['c', 'd'], {}])],
  ],
  ['an empty key with a comment', 'a: # mine\nx: 1\n', 'a: # mine\n  b: 1\nx: 1\n', [set('a/b', 1)]],
  ['a key that is null', 'a: ~ # mine\n', 'a: # mine\n  b: 1\n', [set('a/b', 1)]],
  ['empty braces', 'a: {} # mine\n', 'a: # mine\n  b: 1\n', [set('a/b', 1)]],
  ['braces', 'a: {x: 1}\n', 'a: {x: 1, b: "c: d"}\n', [set('a/b', 'c: d')]],
  ['braces over lines', 'a: {\n  "x": 1, # one\n}\n', 'a: {\n  "x": 1, # one\n  b: [1],\n}\n', [set('a/b', [1])]],
  ['braces at the root', '{x: 1}\n', '{x: 1, a: {b: null}}\n', [set('a/b', null)]],
  ['a name without value in braces', '{a, x: 1}', '{a: 2, x: 1}', [set('a', 2)]],
  ['a value with a comment behind', 'a: 1  # one\n', 'a: 2  # one\n', [set('a', 2)]],
  ['a value in quotes of the same meaning', "a: 'b'\n", "a: 'b'\n", [set('a', 'b')]],
  ['a value of several lines', 'a: "b\n  c"\nx: 1\n', 'a: d\nx: 1\n', [set('a', 'd')]],
  ['a text behind a bar', 'a: |\n  b\n  # no comment\n\nx: 1\n', 'a: d\n\nx: 1\n', [set('a', 'd')]],
  ['a value that becomes an object', 'a: 1 # one\nx: 2\n', 'a: # one\n  b: 1\nx: 2\n', [set('a', { b: 1 })]],
  ['an object that becomes a value', 'a: # one\n  b: 1 # two\nx: 2\n', 'a: 3 # one\n# two\nx: 2\n', [set('a', 3)]],
  ['a value with an anchor nobody uses', 'a: &n 1\n', 'a: 2\n', [set('a', 2)]],
  ['a value that is an alias', 'x: &n 1\na: *n\n', 'x: &n 1\na: 2\n', [set('a', 2)]],
  ['a text behind a bar above', 'x: |+\n  y\n\n', 'x: |+\n  y\n\na: 1\n'],
  [
    'comments below the last of a mapping',
    'a:\n  x: 1\n  # two\n\n# next\ny: 1\n',
    'a:\n  x: 1\n  # two\n  b: 1\n\n# next\ny: 1\n',
    [set('a/b', 1)],
  ],
  ['two in one, one out', 'a: 1\nb: 2\n', 'b: 2\nc: 3\n', [set('a', undefined), set('c', 3)]],
  ['the last out without final newline', 'a: 1\nb: 2', 'a: 1', removals('b')],
  ['one out with a comment behind', 'a: 1 # one\nb: 2\n', '# one\nb: 2\n', removals('a')],
  ['all out of a mapping', 'x:\n  a: 1\n  b: 2\ny: 1\n', 'x: {}\ny: 1\n', removals('x/a', 'x/b')],
  ['all out', 'a: 1\nb: 2\n', '', removals('a', 'b')],
  [
    'one out below a text with a comment below',
    'x:\n  y: |\n    z\na: 1\n     # deep\n',
    'x:\n  y: |\n    z\n# deep\n',
    removals('a'),
  ],
  ['one out of braces', '{a: 1, b: 2 , c: 3}', '{a: 1, c: 3}', removals('b')],
  ['the last out of braces', '{a: 1, b: 2 }', '{a: 1 }', removals('b')],
  ['a name like a prototype', '__proto__:\n  x: 1\n', '__proto__:\n  x: 1\n  z: 2\n', [set('__proto__/z', 2)]],
  [
    'names that need quotes',
    '',
    'a b:\n  "": 1\n  "- x": 2\n  "#": 3\n  "yes": 4\n  m:1: 5\n',
    [set('a b', { '': 1, '- x': 2, '#': 3, yes: 4, 'm:1': 5 })],
  ],
])('an edit of %s', (_name, originalText, editedText, edits = [set('a', 1)]) => {
  expect(edit(originalText, edits)).toBe(editedText)
  expect(edit(editedText, edits)).toBe(editedText)
})

test.each<[string, string, string, OpenEdit[]?]>([
  ['a list that does not exist', 'x: 1\n', 'x: 1\nmodels:\n  - name: Ours\n    model: gw\n'],
  ['an empty list', 'models: []\n', 'models:\n  - name: Ours\n    model: gw\n'],
  ['a list that is null', 'models:\nx: 1\n', 'models:\n  - name: Ours\n    model: gw\nx: 1\n'],
  ['a list', 'models:\n  - name: a\n\nx: 1\n', 'models:\n  - name: a\n  - name: Ours\n    model: gw\n\nx: 1\n'],
  [
    'a list below its key',
    'models:\n- name: a\n# x\nx: 1\n',
    'models:\n- name: a\n- name: Ours\n  model: gw\n# x\nx: 1\n',
  ],
  [
    'the front of a list',
    'models: # mine\n  # a\n  - name: a\n',
    'models: # mine\n  - name: Ours\n    model: gw\n  # a\n  - name: a\n',
    [element('models', ownItem, true)],
  ],
  [
    'both ends',
    'l:\n  - a\n',
    'l:\n  - name: x\n  - a\n  - name: z\n',
    [element('l', { name: 'x' }, true), element('l', { name: 'z' })],
  ],
  ['the front of brackets', 'l: [a]\n', 'l: [{name: Ours, model: gw}, a]\n', [element('l', ownItem, true)]],
  [
    'brackets over lines',
    'l: [\n  a, # one\n  b\n]\n',
    'l: [\n  a, # one\n  b,\n  {name: Ours, model: gw}\n]\n',
    [element('l', ownItem)],
  ],
  [
    'empty brackets with a comment',
    'l: [ # none\n]\n',
    'l: [ # none\n  {name: Ours, model: gw}\n]\n',
    [element('l', ownItem)],
  ],
  [
    'an element that is there',
    'l:\n  - model: old\n    name: Ours # mine\n    x: 1 # end\n  - b\n',
    'l:\n  - name: Ours\n    model: gw # end\n  - b\n',
    [element('l', ownItem)],
  ],
  [
    'an element that is the same',
    'l:\n  - {model: "gw", name: Ours}\n',
    'l:\n  - {model: "gw", name: Ours}\n',
    [element('l', ownItem)],
  ],
  [
    'an element out',
    'l:\n  - name: Ours\n    x:\n      - 1\n  # b\n  - name: b\n',
    'l:\n  # b\n  - name: b\n',
    [noElement('l', 'Ours')],
  ],
  ['the only element out', 'l: # mine\n- name: Ours\n', 'l: [] # mine\n', [noElement('l', 'Ours')]],
  ['an element out of brackets', 'l: [{name: Ours}, a]', 'l: [a]', [noElement('l', 'Ours')]],
  ['a text into a list', 'l:\n  - a\n', 'l:\n  - a\n  - "b: c"\n', [member('l', 'b: c')]],
  ['a text into brackets', 'l: ["a",b]\n', 'l: ["a",b,c]\n', [member('l', 'c')]],
  ['a text into a list that does not exist', 'x: 1\n', 'x: 1\n', [member('l', 'b')]],
  ['a text out of a list', 'l:\n  - b\n  - a # a\n  - "b"\n', 'l:\n  - a # a\n', [member('l', 'b', false)]],
])('an edit of %s', (_name, originalText, editedText, edits = [element('models', ownItem)]) => {
  expect(edit(originalText, edits)).toBe(editedText)
  expect(edit(editedText, edits)).toBe(editedText)
})

test.each(['vendor/gw-coder:free', 'a b', 'http://x:1/y?z=1#t', 'llama3.1:8b', '/opt/x --y z', '日本', 'a#b', 'x:y'])(
  '%s is written without quotes',
  (text) => {
    expect(edit('', [set('a', text)])).toBe(`a: ${text}\n`)
  },
)

/** Texts that YAML would read as another value, or as syntax. */
const ambiguousTexts = [
  ...'yes No on y null ~ Null true 1 1e3 0x1F 1_000 12:30:45 .5 .inf 2001-01-01 = <<'.split(' '),
  ...`- a: #a !a *a &a @a \`a %a | > {a [a } ] , "a" 'a' --- ...`.split(' '),
  ...['- a', '? a', ': a', 'a: b', 'a #b', '', ' ', ' a', 'a '],
  ...['two\nlines', 'tab\t', '\u0007', '\u0085', '\u2028', '\uFEFF', '\ud800'],
]

test.each(ambiguousTexts)('%j is written so that it reads back as text, in block and flow style', (text) => {
  for (const originalText of ['', 'a: {x: 1}\nl: [y]\n']) {
    const editedText = edit(originalText, [set('a/b', text), set('a/c d', [text]), element('l', { name: text })])
    for (const version of ['1.2', '1.1'] as const)
      expect(parseWithLibrary(editedText, { version })).toMatchObject({ a: { b: text, 'c d': [text] } })
    expect(parse(editedText)).toMatchObject({ ok: true, value: { a: { b: text } } })
  }
})

test.each<[string, string, OpenEdit, object]>([
  ['a parent that is text', 'x: 1\na: b\n', set('a/b', 1), { field: 'a', line: 2 }],
  ['a parent that is a list', 'a:\n  b:\n  - c\n', set('a/b/c', 1), { field: 'a.b', line: 3 }],
  ['a list that is text', 'l: a\n', member('l', 'b'), { field: 'l', line: 1 }],
  ['a list that is a mapping', 'l:\n\n  name: Ours\n', element('l', ownItem), { field: 'l', line: 3 }],
  [
    'two elements that match',
    'l:\n  - name: Ours\n  - name: b\n  - name: Ours\n',
    element('l', ownItem),
    { field: 'l', line: 4 },
  ],
])('%s is refused with its name and line', (_name, text, item, failure) => {
  expect(catchFailure(() => edit(text, [item]))).toMatchObject({ code: 'file.unparsable', ...failure })
})

test.each<[string, string, OpenEdit, object]>([
  ['a parent that is an alias', 'x: &n {b: 1}\na: *n\n', set('a/b', 2), { field: 'a', line: 2 }],
  ['a parent that an alias stands for', 'a: &n\n  b: 1\nx: *n\n', set('a/b', 2), { field: 'a', line: 1 }],
  ['a value that an alias stands for', 'x:\n  a: &n 1\ny: *n\n', set('x/a', 2), { field: 'x.a', line: 2 }],
  [
    'a value within which an alias stands for',
    'a:\n  b: [&n 1]\ny: *n\n',
    set('a', undefined),
    { field: 'a', line: 1 },
  ],
  ['a key that an alias stands for', '&k a: 1\nb: *k\n', set('a', 2), { field: 'a', line: 1 }],
  ['a value from a merge key', 'x: &n {b: 1}\na:\n  <<: *n\n', set('a/b', 2), { field: 'a.b', line: 3 }],
  ['a parent from a merge key', 'x: &n {b: {c: 1}}\na:\n  <<: [*n]\n', set('a/b/d', 2), { field: 'a.b', line: 3 }],
  ['an element that is an alias', 'x: &n {name: Ours}\nl: [*n]\n', element('l', ownItem), { field: 'l', line: 2 }],
  [
    'an element that an alias stands for',
    'l:\n  - &n\n    name: Ours\nx: *n\n',
    element('l', ownItem),
    { field: 'l', line: 2 },
  ],
  ['a name behind a question mark', 'x: 1\n? a\n: 1\n', set('a', 2), { field: 'a', line: 2 }],
  ['a set at the root', '--- !!set\n? one\n? two\n', set('a', 2), { field: 'a', line: 1 }],
  ['a set further down', 'x: 1\na: !!set\n  ? one\n  ? two\n', set('a/b', 2), { field: 'a.b', line: 2 }],
  ['a member of a set', 'a: !!set {one, two}\n', set('a/one', undefined), { field: 'a.one', line: 1 }],
])('%s is left unchanged as not editable, with its name and line', (_name, text, item, failure) => {
  expect(catchFailure(() => edit(text, [item]))).toMatchObject({ code: 'file.notEditable', ...failure })
})

/** Difficult cases from the public YAML test suites. The tests let a tool own the keys `a` and `b`. */
const unusualSyntaxCases: readonly (readonly [string, string])[] = [
  ['an anchor on the first key', '&k a: 1\nc: 2\n'],
  ['an anchor on a key and one on its value', '&k c: &v 1\na: x\n'],
  ['an anchored key that an alias names', '&k c: &v 1\n*v : *k\n'],
  ['an anchor on the mapping and one on its first key', '&m\n&k a: 1\nc: 2\n'],
  ['an anchor on a key within a mapping', 'top:\n  &k a: 1\n  c: 2\n'],
  ['anchors on a mapping and on its first key, further down', 'top: &m\n  &k a: 1\nend: 1\n'],
  ['anchors on lines of their own', 'top:\n  &m\n  &k a: 1\nend:\n  &v one\n'],
  ['an anchor whose name ends with a colon', '&k: c: &v: 1\na: *v:\n'],
  ['an anchor in the letters of another script', 'c: &неть 1\na: 2\n'],
  ['a tagged first key', '!!str a: 1\n!!str 23: !!bool false\n'],
  ['keys with tag and anchor in both orders', '!!str &k c: 1\n&l !!str a: 2\n'],
  ['a tag on the mapping and one on its first key', '--- !!map\n!!str a: 1\n'],
  ['a tag of its own at the root', '--- !theirs\na: 1\n'],
  ['a tag written out', '--- !<tag:yaml.org,2002:map>\na: 1\n'],
  ['a tag of a directive', '%TAG ! tag:example.com,2000:app/\n---\na: !foo 1\n'],
  ['directive, start and end', '%YAML 1.2\n--- # start\na: 1\n... # end\n'],
  ['an ordered mapping', 'c: !!omap\n- x: 1\n- y: 2\na: 1\n'],
  ['a set beside the settings', 'c: !!set\n  ? x\n  ? y\na: 1\n'],
  ['bytes', 'c: !!binary |\n  R0lGODlhDAAMAIQAAP\na: 1\n'],
  ['a merge key', 'c: &m {x: 1}\ntop:\n  <<: *m\n  a: 1\n'],
  ['explicit keys', '? c\n: 1\n? d\na: 1\n'],
  ['a list as a key', '? - x\n  - y\n: 1\na: 1\n'],
  ['a mapping as a key', '? {x: 1}\n: 1\na: 1\n'],
  ['an anchored list as a key', '&m\n&k [&i x, y]: 1\na: 1\n'],
  ['empty keys and values', ': 1\na:\nc: &v\n'],
  ['an anchored empty key', '&k : 1\na: 1\n'],
  ['anchored and tagged keys in brackets', '{a: 1, &k c: 2, !!str d: 3, ? e : 4, [f]: 5}\n'],
  ['pairs in a list', 'a: [b: 1, ? c : d, [e]: f, &k g: h]\n'],
]

/** Suppresses the library's warnings about unusual tags and keys. */
const errorOnlyOptions = { logLevel: 'error' } as const

describe.each(unusualSyntaxCases)('a text with %s', (_name, text) => {
  test('reads like the library, takes a new setting and can be restored exactly', () => {
    const edits = [set('new/deep', 'x'), set('b', ['y'])]
    const originalValue = parseWithLibrary(text, errorOnlyOptions)
    const editedText = edit(text, edits)
    expect(parse(text)).toMatchObject({ ok: true })
    expect(parseWithLibrary(editedText, errorOnlyOptions)).toEqual({
      ...Object(originalValue),
      new: { deep: 'x' },
      b: ['y'],
    })
    expect(remove(editedText, edits, text)).toBe(text)
  })

  test('takes a new value for an existing setting, or refuses without a change', () => {
    const path = /^ {2}.*\ba:/m.test(text) ? 'top/a' : 'a'
    const outcome = catchFailure(() => {
      const editedText = edit(text, [set(path, 'ours')])
      expect(parse(editedText)).toMatchObject({
        ok: true,
        value: path === 'a' ? { a: 'ours' } : { top: { a: 'ours' } },
      })
      expect(remove(editedText, [set(path, 'ours')], text)).toBe(text)
    })
    if (outcome !== undefined) expect(outcome).toMatchObject({ code: 'file.notEditable' })
  })
})

test.each<[string, string, number]>([
  ['a cut off text', 'x: 1\na: "secretive\n', 2],
  ['a bracket that is not closed', 'x: 1\na: [secretive,\nb: 2\n', 3],
  ['a line that is no setting', 'x: 1\n\nsecretive\n', 3],
  ['two colons', 'a: b: secretive\n', 1],
  ['a list at the root', '# c\n- secretive\n', 2],
  ['several documents', 'a: 1\n---\nsecretive: 2\n', 2],
  ['a directive at the end', 'a: 1\n...\n%YAML 1.2\n', 3],
  ['an explicit key with a value but no colon', '? x\n\n? "secretive" y\n', 3],
  ['tabs as indentation', 'a:\n\tsecretive: 1\n', 2],
  ['indentation that does not fit', 'a:\n    b: 1\n  secretive: 2\n', 3],
  ['a name that stands twice', 'a: 1\nx:\n  secretive: 1\n  "secretive": 2\n', 4],
  ['a name that stands twice in a list in brackets', 'a:\n - [{secretive: 1,\n  secretive: 2}]\n', 3],
  ['an alias of nothing', 'a: 1\nb: *secretive\n', 2],
  ['a carriage return within a line', 'a: 1\nb: secretive\rc: 2\n', 2],
  ['an alias within itself', 'a: &secretive [*secretive]\n', 1],
  ['a merge key within itself', 'a: &secretive\n  <<: *secretive\n', 1],
  ['brackets too deep', `a: 1\nb: ${'['.repeat(5000)}${']'.repeat(5000)}\n`, 2],
  ['dashes too deep', `a: 1\nb:\n ${'- '.repeat(150_000)}x\n`, 3],
  ['lines too deep', Array.from({ length: 1500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 201],
  [
    'aliases of aliases',
    [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...[...'bcdefgh'].map(
        (name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[index]}`).join(', ')}]`,
      ),
    ].join('\n'),
    1,
  ],
])('a file with %s is refused with its line and without its content', (_name, text, line) => {
  const parsedDocument = parse(text)
  expect(parsedDocument).toMatchObject({ ok: false, error: { code: 'file.unparsable', line } })
  expect(JSON.stringify(parsedDocument)).not.toContain('secretive')
  expect(catchFailure(() => edit(text, [set('z', 1)]))).toMatchObject({ code: 'file.unparsable', line })
  expect(catchFailure(() => remove('', [{ path: ['z'] }], text))).toMatchObject({ code: 'file.unparsable' })
})

test('values follow the core schema, aliases and merge keys are resolved, and times are text', () => {
  const text = [
    'base: &base {a: 1, b: [x, "1"]}',
    'more: &more {b: 2, c: yes}',
    'list: [*base, 0x10, 1.5, ~, 2001-01-01T00:00:00Z, !!binary aGk=, !x y]',
    'merged:\n  <<: [*more, *base]\n  a: 3',
    'text: |-\n  one\n  two',
    '"<<": {z: 1}',
    '1: one\nnull: none',
  ].join('\n')
  expect(parse(text)).toEqual({
    ok: true,
    value: {
      base: { a: 1, b: ['x', '1'] },
      more: { b: 2, c: 'yes' },
      list: [{ a: 1, b: ['x', '1'] }, 16, 1.5, null, '2001-01-01T00:00:00Z', 'aGk=', 'y'],
      merged: { a: 3, b: 2, c: 'yes' },
      text: 'one\ntwo',
      '<<': { z: 1 },
      1: 'one',
      null: 'none',
    },
  })
})

test.each<[string, string, string, (((text: string) => string) | undefined)?, OpenEdit[]?]>([
  ['a value', 'a: "1" # one\nx: 1\n', 'a: "1" # one\nx: 1\ny: 2\n', undefined, [set('a', 'ours')]],
  ['a value that was not there', 'x: 1\n', 'x: 2\n', (text) => text.replace('x: 1', 'x: 2')],
  ['a mapping that was empty', 'a: # mine\nx: 1\n', 'a: # mine\nx: 2\n', (text) => text.replace('x: 1', 'x: 2')],
  ['braces that were empty', 'a: {}\nx: 1\n', 'a: {}\nx: 2\n', (text) => text.replace('x: 1', 'x: 2')],
  ['nothing but a comment', 'x: 1\n', 'x: 1\n# mine\n', (text) => text.replace('a:\n', 'a:\n  # mine\n')],
  ['a parent with another setting in it', 'x: 1\n', 'x: 1\na:\n  c: 2\n', (text) => `${text}  c: 2\n`],
  [
    'a text behind a bar',
    'a: |\n    one\n      two\nx: 1\n',
    'a: |\n    one\n      two\nx: 1\ny: 2\n',
    undefined,
    [set('a', 'y')],
  ],
  [
    'an object',
    'x: 1\na:\n  # b\n  b: [1,\n   2]\n',
    'x: 1\na:\n  # b\n  b: [1,\n   2]\ny: 2\n',
    undefined,
    [set('a', 'y')],
  ],
  [
    'an element',
    'l:\n  - name: b\n  -   name: "Ours"\n      x: 1 # c\n',
    'y: 2\nl:\n  - name: b\n  -   name: "Ours"\n      x: 1 # c\n',
    (text) => `y: 2\n${text}`,
    [element('l', ownItem)],
  ],
  [
    'an element taken out',
    'l:\n  - a\n  - name: "Ours"\n  - b\n',
    'l:\n  - a\n  - name: "Ours"\n  - b\ny: 2\n',
    undefined,
    [noElement('l', 'Ours')],
  ],
  ['a text taken out', "l: [a, 'b', c]\n", "l: [a, 'b', c]\ny: 2\n", undefined, [member('l', 'b', false)]],
])(
  'a removal restores %s although another setting changed',
  (_name, original, back, drift = (text) => `${text}y: 2\n`, edits = [set('a/b', 1)]) => {
    expect(remove(drift(edit(original, edits)), edits, original)).toBe(back)
    expect(remove(edit(original, edits), edits, original)).toBe(original)
  },
)

test('a removal without an original removes owned settings and parents that contain nothing else', () => {
  const edits = [set('a/b/c', 1), set('x/y', 2), element('l', ownItem)]
  expect(remove(edit('x:\n  z: 1\n', edits), edits, undefined)).toBe('x:\n  z: 1\n')
  expect(remove(edit('', edits), edits, undefined)).toBe('')
  expect(remove(edit('b: []\nz: 1\n', edits), edits, 'b: []\n')).toBe('b: []\nz: 1\n')
})

test('a removal is refused when the text is no longer editable', () => {
  const editedText = 'a: ours\nb: 1\n'.replace('b: 1', 'b: *a').replace('ours', '&a ours')
  expect(catchFailure(() => remove(editedText, [{ path: ['a'] }], 'b: 1\n'))).toMatchObject({
    code: 'file.notEditable',
    line: 1,
  })
})

test.each<[string, string, string]>([
  ['a value of a secret name', 'apiKey: abc # x\nname: abc\n', 'apiKey: [secret] # x\nname: abc\n'],
  ['quotes', `api_key: "abc"\npassword: 'abc'\n`, `api_key: "[secret]"\npassword: '[secret]'\n`],
  [
    'a number',
    'password: 12345678\nmax_tokens: 4096\ntoken: 99999999999\n',
    'password: [secret]\nmax_tokens: 4096\ntoken: [secret]\n',
  ],
  [
    'a list under a secret name',
    'api-key:\n  - openai=abcdefgh\n  - "x"\n',
    'api-key:\n  - [secret]\n  - "[secret]"\n',
  ],
  [
    'a text behind a bar',
    'token: |\r\n  abc\r\n\r\n  def\r\nx: 1\r\n',
    'token: |\r\n  [secret]\r\n\r\n  [secret]\r\nx: 1\r\n',
  ],
  ['a value of several lines', 'secret: "abc\n  def"\n', 'secret: "[secret]"\n  [secret]\n'],
  ['the form of a secret', 'x: [sk-abcdefghijk, y]\n# sk-abcdefghijk\n', 'x: [[secret], y]\n# [secret]\n'],
  ['an option before a secret', 'args: [--api-key, abc, --x, y]\n', 'args: [--api-key, [secret], --x, y]\n'],
  ['an alias under a secret name', 'x: &n abc\napiKey: *n\n', 'x: &n [secret]\napiKey: *n\n'],
  ['a reference', `apiKey: \${{ secrets.GW_KEY }}\n`, `apiKey: \${{ secrets.GW_KEY }}\n`],
  ['a text that cannot be read', 'a: [1\napiKey: abc\n', '[secret]\n[secret]\n'],
])('the masked text hides %s and keeps line breaks', (_name, text, maskedText) => {
  expect(mask(text)).toBe(maskedText)
})
