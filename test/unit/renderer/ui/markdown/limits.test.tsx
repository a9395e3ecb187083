import { prettyJson } from '@shared/json'
import { render } from '@testing-library/react'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { DiffView } from '../../../../../src/renderer/ui/diff-view'
import { readBlocks, readDefinitions, selectDefinitions } from '../../../../../src/renderer/ui/markdown/blocks'
import * as parse from '../../../../../src/renderer/ui/markdown/parse'
import { setUpDocumentTests, showDocument } from '../../support/document'

beforeAll(setUpDocumentTests)

const repeatPieces = (count: number, ...pieces: readonly string[]): string =>
  pieces.map((piece) => piece.repeat(count)).join('x')

/** Texts with extreme nesting or width. */
const hostileTexts: readonly (readonly [name: string, text: string])[] = [
  ['quotes', repeatPieces(2_500, '>', '')],
  ['quotes with spaces', repeatPieces(1_900, '> ', '')],
  ['lists in one line', repeatPieces(1_900, '- ', '')],
  ['numbered lists in one line', repeatPieces(1_300, '1. ', '')],
  ['quotes and lists', repeatPieces(900, '> - ', '')],
  ['footnotes', repeatPieces(600, '[^1]: ', '')],
  ['lists by indentation', Array.from({ length: 109 }, (_, index) => `${' '.repeat(2 * index)}- x`).join('\n')],
  [
    'lists by tabs',
    Array.from({ length: 30 }, (_, index) => `${'\t'.repeat(10 * index)}${'- '.repeat(20)}x`).join('\n'),
  ],
  ['emphasis', repeatPieces(640, '*a ', ' a*')],
  ['stars', repeatPieces(1_900, '*', '*')],
  ['marks that never close', repeatPieces(1_900, '_*', '')],
  ['struck and leaning', repeatPieces(160, '~~*', '*~~')],
  ['links', repeatPieces(500, '[', '](y)')],
  ['pictures', repeatPieces(900, '![', '](y)')],
  [
    'a table of many columns',
    `${repeatPieces(700, '|a')}|\n${repeatPieces(700, '|-')}|\n${repeatPieces(200, '|x|\n')}`,
  ],
  ['groups of a formula', `$$${repeatPieces(1_900, '{', '}')}$$`],
  ['roots of a formula', `$$${repeatPieces(550, '\\sqrt{', '}')}$$`],
  ['powers of a formula', `$$${repeatPieces(900, 'x^{', '}')}$$`],
  ['macros of a formula', `$$\\def\\a{${'x'.repeat(1_000)}}${'\\a'.repeat(150)}$$`],
  ['Ruby in Ruby', `\`\`\`ruby\n${repeatPieces(3_000, '"#{', '')}\n\`\`\``],
  ['comments in comments', `\`\`\`rust\n${repeatPieces(3_000, '/*', '')}\n\`\`\``],
]

/** Maximum nesting depth below an element. */
function measureDepth(element: Element): number {
  let depth = 0
  for (let level = [...element.children]; level.length > 0; level = level.flatMap(({ children }) => [...children]))
    depth += 1
  return depth
}

describe('an answer that no page could render', () => {
  test.each(hostileTexts)('is shown with its text: %s', async (_, text) => {
    const { container, settled, unmount } = showDocument(text)
    await settled()
    expect(container.textContent).toContain('x')
    expect(measureDepth(container)).toBeLessThan(150)
    expect(container.querySelectorAll('*').length).toBeLessThan(6_000)
    unmount()
  })

  test.each(hostileTexts)('is shown while streaming: %s', (_, text) => {
    const { container, show, unmount } = showDocument('', true)
    for (const fraction of [0.3, 0.7, 1]) show(text.slice(0, text.length * fraction), true)
    expect(measureDepth(container)).toBeLessThan(150)
    unmount()
  })

  test('leaves normal nesting and the other parts of the answer unchanged', async () => {
    const list = Array.from({ length: 12 }, (_, index) => `${'  '.repeat(index)}- level ${index}`).join('\n')
    const { container, settled } = showDocument(`${'>'.repeat(2_500)}x\n\n**bold**\n\n${list}\n\n> > > quoted`)
    await settled()
    expect(container.querySelector('strong')?.textContent).toBe('bold')
    expect(container.querySelectorAll('li')).toHaveLength(12)
    expect(container.querySelectorAll('blockquote blockquote blockquote')).toHaveLength(1)
  })

  test('is marked by a frame, on a line that scrolls', async () => {
    const { container, settled } = showDocument(`${'>'.repeat(2_500)}x\n\n**bold**`)
    await settled()
    expect(container.querySelector('pre')?.textContent).toBe(`${'>'.repeat(2_500)}x`)
    expect(container.textContent).toContain('Shown as text: nested too deeply')
  })

  test('shows a part that cannot be rendered as text, and renders all other parts', async () => {
    const parseSpy = vi.spyOn(parse, 'parseMarkdown').mockImplementationOnce(() => {
      throw new RangeError('Maximum call stack size exceeded')
    })
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { container, settled } = showDocument('*first*\n\n# Second')
    await settled()
    parseSpy.mockRestore()
    consoleSpy.mockRestore()
    expect(container.textContent).toContain('first')
    expect(container.querySelector('h2')?.textContent).toBe('Second')
  })
})

describe('repetition in a document', () => {
  test('does not make a table header longer than its rows', () => {
    const text = `${'|a'.repeat(1_900)}|\n${'|-'.repeat(1_900)}|\n${'|x|\n'.repeat(5_000)}`
    const length = readBlocks(text, false).blocks.reduce((sum, { source }) => sum + source.length, 0)
    expect(length).toBeLessThan(text.length * 1.5)
  })

  test('limits the number of link definitions', () => {
    const definitions = Array.from({ length: 5_000 }, (_, index) => `[a${index}]: https://example.com/${index}`).join(
      '\n',
    )
    const references = Array.from({ length: 700 }, (_, index) => `[a${index}]`).join(' ')
    const { blocks } = readBlocks(`${definitions}\n\n${references}`, false)
    const { length } = selectDefinitions(references, readDefinitions(blocks))
    expect(length).toBeGreaterThan(1_000)
    expect(length).toBeLessThan(20_000)
  })
})

describe('other untrusted texts', () => {
  test('JSON that is too deep is not indented', () => {
    const nestedBracketsText = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(prettyJson(nestedBracketsText)).toBe(nestedBracketsText)
    expect(prettyJson(`{"a":"${'['.repeat(200)}"}`)).toBe(`{\n  "a": "${'['.repeat(200)}"\n}`)
  })

  test('a diff line that is too long is not highlighted, and its secrets stay masked', () => {
    const text = `${'0 '.repeat(20_000)}[secret] ${'0 '.repeat(20_000)}`
    const { container } = render(<DiffView lines={[{ kind: 'added', text, newLine: 1 }]} layout="inline" label="" />)
    expect(container.querySelectorAll('span').length).toBeLessThan(10)
    expect(container.textContent).toContain('key, hidden')
    expect(container.textContent).not.toContain('[secret]')
  })
})
