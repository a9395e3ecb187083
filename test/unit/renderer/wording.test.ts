import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en } from '../../../src/renderer/i18n/en'

/** Phrases that have a plainer or a standard word. */
const refused = [
  /\bput right\b/i,
  /\bworked out\b/i,
  /\bby hand\b/i,
  /\bstands\b/i,
  /\b(is|are|was|were) told\b/i,
  /\bwhoever\b/i,
  /\bsomebody\b/i,
  /\bnobody\b/i,
  /\bin force\b/i,
  /\bfrom then on\b/i,
  /\btake(n)?( it| them)? out\b/i,
  /\blets? go\b/i,
  /\bg(ives?|ave) up\b/i,
  /\bas it is\b/i,
  /\bunder way\b/i,
  /\bhanded over\b/i,
  /\bset-ups?\b/i,
  /\bthis machine\b/i,
  /;/,
]

/** Keys of texts that are read at a glance: titles, buttons, labels and states. */
const short =
  /\.(title\w*|pageTitle|action|button|confirm|label|short|open|save|add|start|stop|undo)(_one|_other)?$|\.(statuses|states|state|outcomes|filters|columns|tabs|actions|menu|places|groups)\.\w+$/

/** Every text by its dotted key. */
function texts(tree: object, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`
    return typeof value === 'string' ? [[at, value] as [string, string]] : texts(value, at)
  })
}

const words = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}{]/u.test(word)).length

const all = texts(en)

describe('the English texts of the window', () => {
  it('use the plain word, and no semicolon', () => {
    expect(all.filter(([, text]) => refused.some((phrase) => phrase.test(text)))).toEqual([])
  })

  it('say a title, a button or a state in at most 20 words', () => {
    expect(all.filter(([key, text]) => short.test(key) && words(text) > 20)).toEqual([])
  })
})

const root = join(import.meta.dirname, '../../..')
const commands = join(root, 'src/main/cli')

/** The texts of several words in a file of commands. */
const textsIn = (code: string): string[] =>
  [...code.replace(/^\s*(\/?\*|\/\/).*$/gm, '').matchAll(/(['"`])((?:\\.|(?!\1).)* (?:\\.|(?!\1).)*)\1/g)].map(
    ([, , text = '']) => text.replace(/\$\{[^}]*\}+/g, ''),
  )

describe('the texts of the command line', () => {
  // The completions are programs of shells.
  const files = readdirSync(commands).filter((name) => name.endsWith('.ts') && name !== 'completion.ts')

  it.each(files)('%s uses the plain word, and no semicolon', (name) => {
    const found = textsIn(readFileSync(join(commands, name), 'utf8'))
    expect(found.filter((text) => refused.some((phrase) => phrase.test(text)))).toEqual([])
  })

  it('are found in code', () => {
    expect(textsIn("// a 'b c' d\nf('Put it right', 1)")).toEqual(['Put it right'])
  })
})

describe('the messages of failures', () => {
  const main = join(root, 'src/main')
  // The commands are looked at above, and what stands in files of tools is theirs.
  const files = readdirSync(main, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/^(cli|tools.targets)/.test(path),
  )
  const sentences = (code: string): string[] =>
    textsIn(code).filter((text) => /^[A-Z ]/.test(text) && text.endsWith('.') && !/^SELECT|^UPDATE|=/.test(text))

  it('use the plain word, and no semicolon', () => {
    const found = files.flatMap((path) => sentences(readFileSync(join(main, path), 'utf8')))
    expect(found.filter((text) => refused.some((phrase) => phrase.test(text)))).toEqual([])
  })
})

describe('the documents that users read', () => {
  const forContributors = ['adding-a-tool.md', 'architecture.md', 'coverage.md', 'electron.md']
  const guides = [
    'README.md',
    ...['', 'guide/'].flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).flatMap((name) =>
        name.endsWith('.md') && !forContributors.includes(name) ? `docs/${folder}${name}` : [],
      ),
    ),
  ]

  it.each(guides)('%s uses the plain word, and no semicolon', (path) => {
    const prose = readFileSync(join(root, path), 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`]*`/g, '')
    expect(prose.split('\n').filter((line) => refused.some((phrase) => phrase.test(line)))).toEqual([])
  })
})
