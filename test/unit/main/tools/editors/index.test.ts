import { expect, test } from 'vitest'
import { textEditor } from '../../../../../src/main/tools/editors'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'

const content = (value: string | undefined): OpenEdit => ({ path: ['content'], value })

test('a blank text has no content', () => {
  expect(textEditor.parse('a\r\n')).toEqual({ ok: true, value: { content: 'a\r\n' } })
  expect(textEditor.parse(' \n')).toEqual({ ok: true, value: {} })
  expect([textEditor.isBlank('\uFEFF\n'), textEditor.isBlank('x')]).toEqual([true, false])
})

test('an edit returns the file content, and a removal the original or nothing', () => {
  expect(textEditor.edit('old', [content('#!/bin/sh\nnew\n')])).toBe('#!/bin/sh\nnew\n')
  expect(textEditor.edit('old', [content(undefined)])).toBe('')
  expect(textEditor.edit('old', [])).toBe('old')
  expect(textEditor.remove('new', [{ path: ['content'] }], 'old\r\n')).toBe('old\r\n')
  expect(textEditor.remove('new', [{ path: ['content'] }], undefined)).toBe('')
  expect(textEditor.remove('new', [], 'old')).toBe('new')
})

test.each<[string, OpenEdit]>([
  ['another setting', { path: ['x'], value: 'x' }],
  ['a member', { path: ['content'], member: 'x', present: true }],
  ['an element', { path: ['content'], element: { a: 'x' }, value: undefined }],
  ['a number', { path: ['content'], value: 1 }],
])('%s is a programming error', (_name, edit) => {
  expect(() => textEditor.edit('', [edit])).toThrow(/text|content/)
})

test('text in the form of a secret is masked line by line', () => {
  const text = '#!/bin/sh\nexport TOKEN=abc\nAPI_KEY=\n  sk-abcdef123456 https://me:pw@host\n'
  expect(textEditor.mask(text)).toBe('#!/bin/sh\nexport TOKEN=[secret]\nAPI_KEY=\n  [secret] https://[secret]@host\n')
})
