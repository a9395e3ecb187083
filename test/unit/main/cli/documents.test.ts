import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../../../src/main/cli/program'

const root = join(import.meta.dirname, '../../../..')
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
]

const throwIfRun = (): never => {
  throw new Error('Nothing is run.')
}
const program = createProgram({
  version: '1.2.3',
  outDir: '',
  openCore: throwIfRun,
  makeOutput: throwIfRun,
})

/** Commands of a document, as whole lines of a shell block. */
const listCommands = (text: string): string[] =>
  [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => /(?:^|\| )(?:npx )?companion (.*?)(?: \| |$)/.exec(line)?.[1] ?? [])

/** Words of a documented command line that are no command or option of the program. */
function listUnknownWords(line: string): string[] {
  const { command, rest } = resolve(line.split(' -- ')[0] ?? '')
  if (command === program) return [rest[0] ?? '']
  const options = [...program.options, ...command.options].flatMap(({ long }) => long ?? [])
  return rest.filter(
    (word) => word.startsWith('--') && word !== '--help' && !options.includes(word.split('=')[0] ?? ''),
  )
}

/** Command lines in the first column of the command table, without the brackets of optional parts. */
const listTableCells = (text: string): string[] =>
  [...text.matchAll(/^\| (`(?:\\\||[^|])*`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line.replace(/[[\]|\\]|\.\.\./g, ' ').trim()),
  )

it.each(documents)('every command in %s exists with its options', (path) => {
  const lines = listCommands(readFileSync(join(root, path), 'utf8'))
  expect(lines.flatMap((line) => listUnknownWords(line).map((word) => `${word} in: companion ${line}`))).toEqual([])
})

it('the table of commands lists only existing ones', () => {
  const table = /^\| Command [\s\S]*?\n\n/m.exec(readFileSync(join(root, 'docs/command-line.md'), 'utf8'))?.[0] ?? ''
  const rows = listTableCells(table)
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.flatMap((line) => listUnknownWords(line).map((word) => `${word} in: ${line}`))).toEqual([])
})

/** Commands that the source code mentions in quotes, except in comments. Each `${...}` is replaced by one word. */
const listPrintedLines = (source: string): string[] => {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/(["`“'])companion ([a-z](?:\$\{[^}]*\}|[^"`”'\n])*)/g)].map(
    ([, , line = '']) => line.replace(/\$\{[^}]*\}/g, 'VALUE').split(' | ')[0] ?? '',
  )
}

/** Required arguments and options that are missing in a documented command line. */
function listMissingNames(line: string): string[] {
  const { command, rest } = resolve(line)
  const optionsWithValue = new Set(command.options.flatMap(({ long, required }) => (required && long ? [long] : [])))
  const positionalArgs = rest.filter(
    (word, index) => !word.startsWith('-') && !optionsWithValue.has(rest[index - 1] ?? ''),
  )
  const requiredArguments = command.registeredArguments.filter(({ required }) => required)
  const missingOptions = command.options.filter(({ mandatory, long = '' }) => mandatory && !rest.includes(long))
  const isGroup = command.commands.length > 0 && !command.registeredArguments.length
  const unknownCommands = isGroup ? positionalArgs.slice(0, 1) : []
  return [
    ...unknownCommands,
    ...requiredArguments.slice(positionalArgs.length).map((argument) => argument.name()),
    ...missingOptions.map(({ flags }) => flags),
  ]
}

/** The command that a line names, and the words after it. */
function resolve(line: string): { readonly command: Command; readonly rest: readonly string[] } {
  const args = line.trim().split(/\s+/)
  let command: Command = program
  for (const [index, word] of args.entries()) {
    const subcommand = command.commands.find(
      (candidate) => candidate.name() === word || candidate.aliases().includes(word),
    )
    if (subcommand === undefined) return { command, rest: args.slice(index) }
    command = subcommand
  }
  return { command, rest: [] }
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.(?:tsx?|json)$/.test(path),
)

it('every command that the app and the command line print exists, with its options and arguments', () => {
  const printedCommands = sources.flatMap((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8')
    return listPrintedLines(path.endsWith('.json') ? text.replaceAll('\\"', '“') : text).map((line) => ({ path, line }))
  })
  expect(printedCommands.length).toBeGreaterThan(60)
  const invalidCommandWords = printedCommands.flatMap(({ path, line }) =>
    [...listUnknownWords(line), ...listMissingNames(line)].map((word) => `${path}: ${word} in: companion ${line}`),
  )
  expect(invalidCommandWords).toEqual([])
})

it.each([
  ['diagnose', 'doctor'],
  ['keys', 'register'],
  ['test', 'verify'],
  ['undo', 'restore'],
  ['revert', 'rewind'],
  ['switch', 'use'],
  ['plan test', 'plan check'],
  ['key save', 'key keep'],
  ['handout confirm', 'handout acknowledge'],
  ['secret delete', 'secret forget'],
])('%s is an alias of %s', (alias, name) => {
  expect(resolve(alias).rest).toEqual([])
  expect(resolve(alias)).toEqual(resolve(name))
})
