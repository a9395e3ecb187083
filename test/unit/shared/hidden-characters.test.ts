import {
  cleanName,
  escapeHiddenCharacters,
  hasHiddenCharacters,
  withoutHiddenInText,
  withVisibleControls,
} from '@shared/hidden-characters'
import { describe, expect, it } from 'vitest'

describe('a foreign name', () => {
  it.each([
    ['turned around', 'team\u202Emaet', 'teammaet'],
    ['isolated', '\u2066a\u2069\u200f\u061c', 'a'],
    ['with a zero byte', 'pro\u0000duction', 'production'],
    ['with what steers a terminal', '\u001b[31mred\u009b0m', '[31mred0m'],
    ['with zero width in it', 'ad\u200bmi\u200dn\u2060\ufeff\u00ad', 'admin'],
    ['with fillers', '\u3164\u115f\uffa0x', 'x'],
    ['of tags', 'a\u{e0041}\u{e007f}', 'a'],
    ['on several lines', ' one\r\n two\u2028three\u0085four\t five ', 'one two three four five'],
    ['with half of a character', 'a\ud83db\ude00', 'ab'],
    ['under a tower of marks', `a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(4)}b`],
    ['of spaces alone', ' \u00a0\u3000\u200b ', ''],
    ['as people write it', 'Nguyễn Thị Ánh (Nhóm 2) – 田中さん', 'Nguyễn Thị Ánh (Nhóm 2) – 田中さん'],
    ['with emoji', 'team 👩‍💻 ❤️ 👍🏽', 'team 👩‍💻 ❤️ 👍🏽'],
  ])('%s', (_, text, name) => {
    expect(cleanName(text)).toBe(name)
    expect(cleanName(cleanName(text))).toBe(name)
  })

  it('is truncated between characters', () => {
    expect(cleanName('x'.repeat(300))).toBe(`${'x'.repeat(199)}…`)
    expect(cleanName('😀'.repeat(10), 10)).toBe('😀😀😀😀…')
    expect(cleanName('abcdefghij', 10)).toBe('abcdefghij')
  })

  it('is found at the start of megabytes', () => {
    expect(cleanName(`name${'\u202e'.repeat(10_000_000)}x`)).toBe('name')
  })
})

it('distinguishes hidden from visible characters', () => {
  expect(['gpt-4.1:free', 'llama/3', 'mô-hình', '模型'].some(hasHiddenCharacters)).toBe(false)
  expect(['a\u202eb', 'a\u0000', 'a\u200b', '\ud800', 'a\u00ad'].every(hasHiddenCharacters)).toBe(true)
})

it('escapes hidden characters in a text that is not a name', () => {
  expect(withVisibleControls('a\u202eb\u0000\n')).toBe('a⟨U+202E⟩b⟨U+0000⟩\n')
})

it.each([
  ['direction marks', '\u061c\u200e\u200f\u202a\u202e\u2066\u2067\u2068\u2069'],
  ['variation selectors', '\ufe00\ufe0e\u{e0100}\u{e01ef}\u180b'],
  ['a soft hyphen and joiners', '\u00ad\u034f\u200b\u200c\u200d\u2060\u2064\ufeff'],
  ['control characters', '\u0000\u001b\u007f\u0080\u009b\u009f'],
  ['tags and fillers', '\u{e0001}\u{e0041}\u115f\u3164\uffa0\u{1d173}'],
])('removes %s from a text that a model reads, and shows them in a question', (_, hidden) => {
  for (const character of hidden) {
    expect(withoutHiddenInText(`a${character}b\n`)).toBe('ab\n')
    expect(escapeHiddenCharacters(`a${character}b`)).toMatch(/^a⟨U\+[0-9A-F]{4,6}⟩b$/)
  }
})

it('shows line breaks in a question', () => {
  expect(escapeHiddenCharacters('a\nb\u2028c')).toBe('a⟨U+000A⟩b⟨U+2028⟩c')
})
