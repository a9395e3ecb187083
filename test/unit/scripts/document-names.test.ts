import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const readmePaths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => basename(path) === 'README.md')
  .map((path) => join('src', path))
const documents = [...readmePaths, 'docs/architecture.md', 'CONTRIBUTING.md']

/** Files that a document names in backticks. `<data>/x.json` and `*.ts` are not files of the project. */
const listNames = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs|json))`/g)].flatMap(([, name]) => name ?? [])

const toPath = (document: string, name: string): string =>
  /^(src|test|scripts|docs)\//.test(name) ? join(root, name) : join(root, dirname(document), name)

test.each(documents)('every file named in %s exists', (document) => {
  const missingNames = listNames(readFileSync(join(root, document), 'utf8')).filter(
    (name) => !existsSync(toPath(document, name)),
  )
  expect(missingNames).toEqual([])
})

test('the example of a coding tool imports files that exist', () => {
  const example = readFileSync(join(root, 'docs/adding-a-tool.md'), 'utf8')
  const imports = [...example.matchAll(/^(?:import|}) .*from '(\.[^']+)'/gm)].flatMap(([, path]) => path ?? [])
  expect(imports.length).toBeGreaterThan(1)
  expect(imports.filter((path) => !existsSync(join(root, 'src/main/tools/targets', `${path}.ts`)))).toEqual([])
})

test('a folder’s README is short', () => {
  const overlongReadmes = readmePaths.filter(
    (path) => readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length > 12,
  )
  expect(overlongReadmes).toEqual([])
})

const allDocuments = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
]

const translatedDocuments = allDocuments.filter((path) => path.startsWith(join('docs', 'vi')))

test.each(translatedDocuments)('%s has the structure of its English page', (document) => {
  const englishPath = document.replace(join('docs', 'vi'), 'docs')
  const describeFormat = (path: string) => {
    const text = readFileSync(join(root, path), 'utf8')
    return {
      headings: text.match(/^#+ /gm)?.length,
      codes: text.match(/^```/gm)?.length,
      rows: text.match(/^\|/gm)?.length,
    }
  }
  // Ignore the number of table rows in these documents: some long tables exist in English only.
  const { rows, ...shape } = describeFormat(englishPath)
  const isLinked = /(tools|command-line)\.md$/.test(document)
  expect(describeFormat(document)).toEqual({ ...shape, rows: isLinked ? expect.any(Number) : rows })
})

const listAnchors = (text: string): readonly string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(allDocuments)('every file and heading linked in %s exists', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const missingLinks = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].filter(([, path = '', anchor]) => {
    const target = path === '' ? join(root, document) : join(root, dirname(document), path)
    if (!existsSync(target)) return true
    return anchor !== undefined && !listAnchors(readFileSync(target, 'utf8')).includes(anchor)
  })
  expect(missingLinks.map(([link]) => link)).toEqual([])
})
