import { fireEvent, screen, within } from '@testing-library/react'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { readBlocks, splitPieces } from '../../../../../src/renderer/ui/markdown/blocks'
import { getRounds } from '../../../../support/depth'
import { setUpDocumentTests, showDocument } from '../../support/document'
import { installMain } from '../../support/fake-main'

beforeAll(setUpDocumentTests)

const document = `# Title

A paragraph with **bold**, *emphasis*, \`code\`, ~~gone~~ and [a link][docs].
It costs $5 and $10, but $x^2$ and \\(y\\) are formulas.

- one
  - inner

    \`\`\`sh
    echo $HOME

    echo done
    \`\`\`
- two

- [x] three
1. first

   more of it
2. second
> quoted
> more

| a | b |
|:--|--:|
| 1 | 2 |

$$
\\frac{a}{b}
$$
\\[ e = mc^2 \\]

\`\`\`ts
const x = 1

const y = '\`\`\`'
\`\`\`
Right after.
Setext
------

    indented

    still indented

Some footnote[^1] here, café 👩‍💻.\r
\r
[^1]: The note
    goes on.

***
[docs]: https://example.com/docs "Docs"

See [docs] again, https://example.com and ![a picture](https://example.com/x.png).`

/** Random documents that join the lines of one document in any order. */
const parts = document.split(/(?<=\n)/)
const documents = fc
  .array(fc.constantFrom(...parts, '\n', '\n', '  ', '```\n', '$$\n', '- ', '> ', '| a | b |\n', '|---|---|\n', '\t'), {
    maxLength: 40,
  })
  .map((chosen) => chosen.join(''))

/** Offsets at which the document is split into chunks. */
const listPrefixLengths = (lengths: readonly number[]): readonly number[] =>
  lengths.map((_, index) => lengths.slice(0, index + 1).reduce((sum, length) => sum + length, 0))

describe('a streamed document', () => {
  test('keeps its finished blocks, for any document and length', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (text, length) => {
        const { blocks } = readBlocks(text.slice(0, length % (text.length + 1)), true)
        expect(readBlocks(text, false).blocks.slice(0, blocks.length)).toEqual(blocks)
      }),
      { numRuns: getRounds(500, 30_000) },
    )
  })

  test('finishes blocks while it grows', () => {
    expect(readBlocks(document.repeat(3), true).blocks.length).toBeGreaterThan(30)
  })

  test('looks the same in the end, for any chunks', async () => {
    const fullDocument = showDocument(document)
    const expectedDocument = await fullDocument.settled()
    fullDocument.unmount()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 1, maxLength: 12 }), async (steps) => {
        const view = showDocument('', true)
        for (const end of listPrefixLengths(steps)) view.show(document.slice(0, end), true)
        view.show(document)
        expect(await view.settled()).toBe(expectedDocument)
        view.unmount()
      }),
      { numRuns: getRounds(3, 100) },
    )
  })

  test.each([
    ['a fence', `\`\`\`js\n${'const value = 1\n'.repeat(6_000)}\`\`\`\n`],
    ['a line in a fence', `\`\`\`\n${'x'.repeat(90_000)}\n\`\`\`\n`],
    ['a paragraph', 'word and **bold** '.repeat(6_000)],
    ['a word', 'x'.repeat(90_000)],
    ['a list', '- item of a list\n'.repeat(5_000)],
    ['an item', `- item\n${'  more of it\n'.repeat(7_000)}`],
    ['a table', `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(6_000)}`],
    ['a quote', '> quoted\n'.repeat(9_000)],
    ['a formula', `$$\n${'x + y\n'.repeat(15_000)}`],
  ])('has no block that is expensive to render: %s of 90,000 characters', (_, text) => {
    for (let end = 0; end < text.length; end += 500) {
      const { tail } = readBlocks(text.slice(0, end), true)
      if (tail?.kind === 'text') expect(tail.source.length).toBeLessThan(13_000)
    }
    for (const block of readBlocks(text, false).blocks) {
      const sizes =
        block.kind === 'code' ? splitPieces(block.source).map(({ piece }) => piece.length) : [block.source.length]
      expect(Math.max(...sizes)).toBeLessThan(13_000)
    }
  })
})

describe('rendering', () => {
  test('supports all elements of Markdown', async () => {
    const { container, settled } = showDocument(document)
    await settled()
    const countElements = (selector: string) => container.querySelectorAll(selector).length
    expect(screen.getByRole('heading', { name: 'Title', level: 2 })).toBeTruthy()
    expect(screen.getByRole('heading', { name: /Right after\.\s+Setext/, level: 2 })).toBeTruthy()
    expect(container.textContent).toContain('It costs $5 and $10, but ')
    expect(countElements('math')).toBe(4)
    expect(countElements('ul ul')).toBe(1)
    const cells = within(screen.getByRole('table')).getAllByRole('cell')
    expect(cells.map(({ textContent }) => textContent)).toEqual(['1', '2'])
    expect([...container.querySelectorAll('pre')].map(({ textContent }) => textContent)).toEqual([
      'echo $HOME\n\necho done',
      "const x = 1\n\nconst y = '```'\n",
      'indented\n\nstill indented',
    ])
    expect(countElements('.hljs-keyword')).toBe(3)
    expect(countElements('sup')).toBe(2)
    expect([...container.querySelectorAll('a')].map((link) => [link.textContent, link.href])).toEqual([
      ['a link', 'https://example.com/docs'],
      ['docs', 'https://example.com/docs'],
      ['https://example.com', 'https://example.com/'],
      ['a picture', 'https://example.com/x.png'],
    ])
  })

  test('keeps empty lines in code, also at the end of a part', () => {
    const lines = Array.from({ length: 400 }, (_, index) => (index % 10 === 9 ? '' : `line ${index}`)).join('\n')
    const { container } = showDocument(`\`\`\`\n${lines}\n\`\`\``)
    expect(container.querySelectorAll('pre span').length).toBeGreaterThan(1)
    expect(container.querySelector('pre')?.textContent).toBe(`${lines}\n`)
  })

  test('repeats the header in each part of a long table, and continues the numbers of a long list', async () => {
    const rows = Array.from({ length: 400 }, (_, index) => `| row ${index} | x |\n`).join('')
    const items = Array.from({ length: 400 }, (_, index) => `${index + 1}. item\n`).join('')
    const { container, settled } = showDocument(`| a | b |\n|---|---|\n${rows}\n${items}`)
    await settled()
    const tables = [...container.querySelectorAll('table')]
    expect(tables.length).toBeGreaterThan(1)
    for (const table of tables) expect(table.tHead?.textContent).toBe('ab')
    expect(container.querySelectorAll('tbody tr')).toHaveLength(400)
    const lists = [...container.querySelectorAll('ol')]
    expect(lists.at(-1)?.start).toBe(401 - (lists.at(-1)?.children.length ?? 0))
  })
})

const address = 'https://bank.example@evil.example/a%20b?q=1'

test('a link is opened only by the main process, which shows its target and asks', async () => {
  const fakeMain = installMain({ 'app.openLink': () => ({}) })
  showDocument(`[bank.example](${address})`)
  fireEvent.click(screen.getByRole('link', { name: 'bank.example' }))
  await fakeMain.waitForCalls('app.openLink', [{ url: address }])
})

test('copies code as displayed', async () => {
  const fakeMain = installMain({ 'app.copyText': () => ({}) })
  showDocument('```sh\necho \u202e1\n\n  echo 2\n```')
  fireEvent.click(screen.getByRole('button', { name: 'Copy code' }))
  await fakeMain.waitForCalls('app.copyText', [{ text: 'echo ⟨U+202E⟩1\n\n  echo 2\n' }])
})
