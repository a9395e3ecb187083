import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startI18n } from '../../../../src/renderer/i18n'
import { type DiffLayout, DiffView, type DiffViewLine } from '../../../../src/renderer/ui/diff-view'

afterEach(cleanup)

beforeAll(() => startI18n('en'))

const lines: readonly DiffViewLine[] = [
  { kind: 'gap', count: 4 },
  { kind: 'same', text: '  "theme": "dark",', oldLine: 5, newLine: 5 },
  { kind: 'removed', text: '  "env": { "ANTHROPIC_BASE_URL": "https://old" }', oldLine: 6 },
  { kind: 'added', text: '  "apiKeyHelper": "companion key print",', newLine: 6 },
  { kind: 'added', text: '  "env": { "ANTHROPIC_BASE_URL": "https://new" }', newLine: 7 },
  { kind: 'added', text: '  "token": "[secret]"', newLine: 8 },
]

const show = (layout: DiffLayout, shownLines = lines) =>
  render(<DiffView lines={shownLines} layout={layout} label="Changes in settings.json" />)

describe('a diff in one column', () => {
  it('shows each line as added or removed with its number, and the number of omitted lines', () => {
    show('inline')
    const table = screen.getByRole('table', { name: 'Changes in settings.json' })
    const rows = within(table).getAllByRole('row')
    expect(rows.map((row) => row.textContent)).toEqual([
      '4 unchanged lines',
      '55  "theme": "dark",',
      '6−Removed  "env": { "ANTHROPIC_BASE_URL": "https://old" }',
      '6+Added  "apiKeyHelper": "companion key print",',
      '7+Added  "env": { "ANTHROPIC_BASE_URL": "https://new" }',
      '8+Added  "token": "key, hidden"',
    ])
  })

  it('marks only what changed inside a line', () => {
    const { container } = show('inline')
    expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['old', 'new'])
  })

  it('never shows the mask as text of the file', () => {
    const { container } = show('inline')
    expect(container.textContent).not.toContain('[secret]')
  })

  it('numbers a new file once, without an empty column', () => {
    show('inline', [{ kind: 'added', text: '{', newLine: 1 }])
    expect(screen.getAllByRole('cell')).toHaveLength(3)
  })
})

/** Line numbers of each pair of lines in the split view. */
const readLinePairs = (): (string | null | undefined)[][] =>
  screen
    .getAllByRole('row')
    .map((row) => within(row).queryAllByRole('cell'))
    .filter((cells) => cells.length === 6)
    .map((cells) => [cells[0]?.textContent, cells[3]?.textContent])

describe('a diff side by side', () => {
  it('aligns two versions of a line in one row, whatever is between them', () => {
    show('split')
    expect(readLinePairs().map((pair) => pair.join('|'))).toEqual(['5|5', '|6', '6|7', '|8'])
  })

  it('keeps every line of both sides, in order, for any mix of changes', () => {
    const mixedLines: DiffViewLine[] = [
      { kind: 'removed', text: 'a', oldLine: 1 },
      { kind: 'removed', text: 'bbbb', oldLine: 2 },
      { kind: 'added', text: 'bbbc', newLine: 1 },
      { kind: 'added', text: 'x', newLine: 2 },
      { kind: 'same', text: 's', oldLine: 3, newLine: 3 },
      { kind: 'removed', text: 'only old', oldLine: 4 },
    ]
    const { unmount } = show('split', mixedLines)
    const pairs = readLinePairs()
    expect(pairs.flatMap(([left]) => left || [])).toEqual(['1', '2', '3', '4'])
    expect(pairs.flatMap(([, right]) => right || [])).toEqual(['1', '2', '3'])
    unmount()
    show('inline', mixedLines)
    expect(screen.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
      '1−Removeda',
      '2−Removedbbbb',
      '1+Addedbbbc',
      '2+Addedx',
      '33s',
      '4−Removedonly old',
    ])
  })

  it('names its two halves for a screen reader', () => {
    show('split')
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Before', 'After'])
  })
})

const kinds: Record<string, string> = {
  'text-text': 'text',
  'text-muted italic': 'comment',
  'text-accent-text': 'literal',
  'text-muted': 'plain',
}

it.each([
  ['  "baseURL": "https://host/v1", // mine', ['plain', 'text', 'plain', 'text', 'plain', 'comment']],
  [
    '{ "limit": 8192, "on": true }',
    ['plain', 'text', 'plain', 'literal', 'plain', 'text', 'plain', 'literal', 'plain'],
  ],
  ['"key": "Bearer [secret]"', ['text', 'plain', 'text', 'secret', 'text']],
  ['openai-api-base: https://127.0.0.1:8080/v1 # mine', ['text', 'comment']],
  ['# theirs', ['comment']],
  ['KEY=[secret]', ['text', 'secret']],
  ['max-tokens: 8192', ['text', 'literal']],
  ['{"a":1}', ['plain', 'text', 'plain', 'literal', 'plain']],
  ['', []],
])('syntax highlighting of a line parses %j as %j and loses no letter', (line, allKinds) => {
  show('inline', [{ kind: 'same', text: line, oldLine: 1, newLine: 1 }])
  const code = screen.getAllByRole('cell').at(-1)
  expect(code?.textContent).toBe(line.replace('[secret]', 'key, hidden'))
  const tokens = [...(code?.firstElementChild?.children ?? [])]
  expect(tokens.map(({ className }) => kinds[className] ?? 'secret')).toEqual(allKinds)
})
