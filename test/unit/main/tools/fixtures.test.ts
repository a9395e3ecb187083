import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Delivery } from '@shared/contract/tools'
import type { Failure } from '@shared/failure'
import { applyEdits, modify } from 'jsonc-parser'
import { describe, expect, test, vi } from 'vitest'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { type Format, isJsonObject } from '../../../../src/main/tools/editors/editor'
import { parseLeniently } from '../../../../src/main/tools/file-baseline'
import { readToolStatus } from '../../../../src/main/tools/status'
import type { TargetFile, WrittenTarget } from '../../../../src/main/tools/target'
import { writtenTargets } from '../../../../src/main/tools/targets'
import { getRounds, isDeepRun } from '../../../support/depth'
import { catchFailure, otherRequest, request, ToolHarness } from './support/workshop'

const root = join(import.meta.dirname, '../../../fixtures/tools')

/** A file of a fixture. `extension` distinguishes the formats of a tool that supports several. */
type FixtureFile = { readonly id: string; readonly extension: string; readonly bytes: Buffer }

/** A fixture: a tool's files before and after the app writes them, or why the app must refuse. */
type TargetCase = {
  readonly name: string
  readonly target: WrittenTarget
  readonly before: readonly FixtureFile[]
  readonly after: readonly FixtureFile[]
  readonly refused?: Partial<Failure>
  readonly choice: {
    readonly delivery?: Delivery
    readonly slots?: Readonly<Record<string, string>>
    readonly moveCommentsToCopy?: boolean
  }
  readonly isProject: boolean
  readonly platform: NodeJS.Platform
  readonly vars: Readonly<Record<string, string>>
}

function readTargetCase(target: WrittenTarget, name: string): TargetCase {
  const folder = join(root, target.id, name)
  const path = join(folder, 'case.json')
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}'
  const { refused, project = false, platform = 'linux', vars = {}, ...choice } = JSON.parse(text)
  return {
    name: `${target.id}/${name}`,
    target,
    before: listFiles(folder, 'before'),
    after: listFiles(folder, 'after'),
    ...(refused ? { refused } : {}),
    choice,
    isProject: project,
    platform,
    vars,
  }
}

/** Reads the `before` or `after` files of a fixture: `before.json`, or `before.env.txt` for the file with id `env`. */
function listFiles(folder: string, moment: 'before' | 'after'): FixtureFile[] {
  return readdirSync(folder).flatMap((name) => {
    const [first, ...rest] = name.split('.')
    if (first !== moment) return []
    const extension = extname(name)
    const id = rest.length > 1 ? rest.slice(0, -1).join('.') : 'settings'
    return [{ id, extension, bytes: readFileSync(join(folder, name)) }]
  })
}

/** Path of a fixture's file in a home. */
function fixturePath(
  { target }: Pick<TargetCase, 'target'>,
  file: Omit<FixtureFile, 'bytes'>,
  harness: ToolHarness,
): string {
  const { environment } = harness.place
  const { path } = settingsFile(target, file.id)
  const currentPath = path(environment) ?? ''
  // A tool may accept several file names. Use the one with the fixture's extension.
  const existingPath = path({ ...environment, exists: () => true }) ?? ''
  return extname(currentPath) !== file.extension && extname(existingPath) === file.extension
    ? existingPath
    : currentPath
}

function settingsFile({ id, files }: WrittenTarget, fileId: string): TargetFile {
  const file = files.find((item) => item.id === fileId)
  if (file) return file
  throw new Error(`${id} has no file ${fileId}`)
}

const allCases: readonly TargetCase[] = writtenTargets.flatMap((target) =>
  readdirSync(join(root, target.id)).map((name) => readTargetCase(target, name)),
)

/** Changes each of a tool's files like another program, and checks what must remain after an undo. */
function editManually(item: TargetCase, harness: ToolHarness): { check: () => void } {
  const changedFiles = item.after.flatMap((file) => {
    const { format } = settingsFile(item.target, file.id)
    const path = fixturePath(item, file, harness)
    const text = harness.read(path)?.toString() ?? ''
    const editedText = addForeignSetting(text, format)
    if (editedText === undefined) return []
    harness.writeFileAt(path, editedText)
    const textBefore = item.before.find(({ id }) => id === file.id)?.bytes.toString() ?? ''
    return [{ path, format, before: textBefore, frame: readFrame(item, file.id) }]
  })
  const check = (): void => {
    for (const { path, format, before, frame } of changedFiles) {
      const remainingSettings = parseLeniently(format, harness.read(path))
      const expectedSettings = parseLeniently(format, before)
      const keptSettings = isJsonObject(remainingSettings)
        ? Object.fromEntries(Object.entries(remainingSettings).filter(([name]) => frame.includes(name)))
        : {}
      expect(remainingSettings).toEqual(
        isJsonObject(expectedSettings) ? { ...keptSettings, ...expectedSettings, FOREIGN: 'kept' } : expectedSettings,
      )
    }
  }
  return { check }
}

/**
 * Settings that the tool needs in any configuration. They stay in the file after an undo if another program changed it.
 */
function readFrame({ target }: TargetCase, fileId: string): string[] {
  const input = { ...request, slots: {}, delivery: target.deliveries[0], variable: target.variable }
  const environment = { home: '/home', platform: 'linux', vars: {}, exists: () => false } as const
  const edits = settingsFile(target, fileId).edits(input, {}, environment)
  return edits.flatMap((edit) => (edit.isVolatile && !('element' in edit) && edit.path.length === 1 ? edit.path : []))
}

/** Appends a setting that the app does not own. Undefined if the format has no place for one. */
function addForeignSetting(text: string, format: Format): string | undefined {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  switch (format) {
    case 'json':
    case 'jsonc':
      if (body.trimStart().startsWith('[')) return undefined
      return (
        bom +
        applyEdits(body, modify(body, ['FOREIGN'], 'kept', { formattingOptions: { insertSpaces: true, tabSize: 2 } }))
      )
    case 'yaml':
      return `${text}${text.endsWith('\n') ? '' : '\n'}FOREIGN: kept\n`
    case 'dotenv':
      return `${text}${text.endsWith('\n') ? '' : '\n'}FOREIGN=kept\n`
    case 'toml':
      return `${bom}FOREIGN = "kept"\n${body}`
    case 'text':
      return undefined
  }
}

/** A home of the fixture's kind, with its files at the paths of the tool. `change` returns undefined to keep a text. */
function lay(item: TargetCase, change: TextTrait['change'] = () => undefined): ToolHarness {
  const harness = new ToolHarness(item)
  for (const file of item.before) {
    const text = change(file.bytes.toString(), settingsFile(item.target, file.id).format)
    harness.writeFileAt(fixturePath(item, file, harness), text ?? file.bytes)
  }
  return harness
}

const buildRequest = (item: TargetCase): ToolRequest => ({ ...request, ...item.choice })

/** Compares every golden file with the actual one. */
function compare(item: TargetCase, harness: ToolHarness): void {
  for (const file of item.after) {
    const golden = file.bytes.toString().replaceAll('@DATA@', harness.dataDir).replaceAll('@HOME@', harness.home)
    expect(harness.read(fixturePath(item, file, harness))?.toString()).toBe(golden)
  }
}

const accepted = allCases.filter(({ refused }) => refused === undefined)

describe.each(accepted.map((item, index) => ({ ...item, index })))('$name', (item) => {
  test('matches its fixture, is restored byte for byte, and is the same when applied twice', async () => {
    expect(item.after.length).toBeGreaterThan(0)
    const harness = lay(item)
    const treeBefore = harness.tree()
    await harness.apply(item.target, buildRequest(item))
    compare(item, harness)
    expect(await readToolStatus(item.target, buildRequest(item), harness.place)).toMatchObject({
      status: 'configured',
      drift: [],
    })
    await harness.restore(item.target)
    expect(harness.tree()).toEqual(treeBefore)
    expect(harness.leftOvers()).toEqual([])
    await harness.apply(item.target, buildRequest(item))
    const treeAfterFirstApply = harness.tree()
    const plan = await harness.apply(item.target, buildRequest(item))
    expect(plan.files.map(({ action }) => action)).not.toContain('change')
    expect(harness.tree()).toEqual(treeAfterFirstApply)
  })

  test('keeps nothing of a first plan after a switch to a second, and is restored after both', async () => {
    const harness = lay(item)
    const treeBefore = harness.tree()
    await harness.apply(item.target, { ...otherRequest, ...item.choice })
    await harness.apply(item.target, buildRequest(item))
    compare(item, harness)
    await harness.restore(item.target)
    expect(harness.tree()).toEqual(treeBefore)
  })

  test('keeps changes of others, applied again or not, and restores the rest', async () => {
    // Quick runs alternate between the fixtures.
    for (const isAppliedAgain of isDeepRun ? [false, true] : [item.index % 2 === 1]) {
      const harness = lay(item)
      await harness.apply(item.target, buildRequest(item))
      const userChange = editManually(item, harness)
      if (isAppliedAgain) await harness.apply(item.target, buildRequest(item))
      await harness.restore(item.target)
      userChange.check()
    }
  })
})

const refused = allCases.filter((item) => item.refused !== undefined)

test.each(refused)('$name is refused with the position of the problem', async (item) => {
  const harness = lay(item)
  const treeBefore = harness.tree()
  const failure = await catchFailure(prepareApply(item.target, buildRequest(item), harness.place))
  expect(failure).toMatchObject(item.refused ?? {})
  const paths = item.before.map((file) => fixturePath(item, file, harness))
  expect(paths.some((path) => JSON.stringify(failure).includes(JSON.stringify(path).slice(1, -1)))).toBe(true)
  const lines = item.before.flatMap(({ bytes }) => bytes.toString().split('\n'))
  for (const line of lines.filter((text) => text.trim().length > 3))
    expect(JSON.stringify(failure)).not.toContain(line.trim())
  expect(harness.tree()).toEqual(treeBefore)
  expect(harness.tree(harness.dataDir)).toEqual({})
})

// The deep form edits files of 5 MB (0.5 MB of YAML), which takes minutes while other processes keep the machine busy.
if (!isDeepRun) vi.setConfig({ testTimeout: 60_000 })

/**
 * An unusual property of a settings file. `change` adds it to a text, and returns undefined if the format does not
 * allow it.
 */
type TextTrait = {
  readonly name: string
  readonly change: (text: string, format: Format) => string | undefined
  readonly isCostly?: boolean
}

const isJson = (format: Format): boolean => format === 'json' || format === 'jsonc'

const addLargeSetting = (text: string, format: Format): string | undefined => {
  const eol = text === '' || text.endsWith('\n') ? '' : '\n'
  // The YAML library needs seconds for a megabyte.
  const items = Array.from(
    { length: getRounds(1_500, format === 'yaml' ? 8_000 : 80_000) },
    (_, index) => `a value that is long enough to fill a file, number ${index}`,
  )
  if (isJson(format) && text.trimEnd().endsWith('}') && !/^\s*\{\s*\}\s*$/.test(text)) {
    const end = text.lastIndexOf('}')
    const list = items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')
    const separator = /,\s*(?:\/\/[^\n]*\s*)*$/.test(text.slice(0, end)) ? '' : ','
    return `${text.slice(0, end).trimEnd()}${separator}\n  "zz": [\n${list}\n  ]\n${text.slice(end)}`
  }
  if (format === 'yaml') return `${text}${eol}zz:\n${items.map((item) => `  - ${item}\n`).join('')}`
  if (format === 'dotenv') return `${text}${eol}${items.map((item, index) => `ZZ_${index}="${item}"\n`).join('')}`
  return undefined
}

const textTraits: readonly TextTrait[] = [
  { name: 'CRLF', change: (text) => text.replace(/\r?\n/g, '\r\n') },
  { name: 'a byte order mark', change: (text, format) => (format === 'text' ? undefined : `\uFEFF${text}`) },
  {
    name: 'tabs',
    change: (text, format) =>
      isJson(format) ? text.replace(/^(?: {2})+/gm, (blanks) => '\t'.repeat(blanks.length / 2)) : undefined,
  },
  { name: 'no final newline', change: (text) => text.trimEnd() },
  {
    name: 'blank lines and blanks at its end',
    change: (text, format) => (format === 'text' ? undefined : `${text}\n  \n\n`),
  },
  {
    name: 'comments',
    change: (text, format) => {
      if (format === 'jsonc') return `// first\n${text}/* last */\n`
      return format === 'yaml' || format === 'dotenv'
        ? `# first\n${text}${text.endsWith('\n') ? '' : '\n'}# last\n`
        : undefined
    },
  },
  {
    name: 'a trailing comma',
    change: (text, format) =>
      format === 'jsonc' && /[^,{\s/]\s*\}\s*$/.test(text) && !/\/\/[^\n]*\n\s*\}\s*$/.test(text)
        ? text.replace(/\s*\}\s*$/, (end) => `,${end}`)
        : undefined,
  },
  { name: isDeepRun ? '5 MB' : '100 KB', change: addLargeSetting, isCostly: true },
]

/** One realistic fixture per tool: the one named "typical", or else the largest. */
const typicalCases: readonly TargetCase[] = writtenTargets.flatMap((target) => {
  const targetCases = allCases.filter((item) => item.target === target)
  const acceptedCases = targetCases.filter(
    ({ refused, isProject, choice }) => !refused && !isProject && !choice.moveCommentsToCopy,
  )
  const countBytes = ({ before }: TargetCase): number => before.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const largestCase = [...acceptedCases].sort((a, b) => countBytes(b) - countBytes(a))[0]
  return acceptedCases.find(({ name }) => name.endsWith('/typical')) ?? largestCase ?? []
})

/** Formats of those fixture files that the trait changes. */
const listChangedFormats = ({ target, before }: TargetCase, { change }: TextTrait): Format[] =>
  before.flatMap(({ id, bytes }) => {
    const { format } = settingsFile(target, id)
    const text = change(bytes.toString(), format)
    return text === undefined || text === bytes.toString() ? [] : [format]
  })

/** Each trait with the tools whose files it changes. For traits with huge files, only one tool per format. */
const traitCases = textTraits.flatMap((trait) => {
  const triedFormats = new Set<Format>()
  return typicalCases.flatMap((item) => {
    const formats = listChangedFormats(item, trait).filter((format) => !(trait.isCostly && triedFormats.has(format)))
    for (const format of formats) triedFormats.add(format)
    return formats.length === 0 ? [] : [{ name: `${item.name} with ${trait.name}`, item, trait }]
  })
})

test('every tool has a fixture with user settings, and every trait is covered', () => {
  expect(typicalCases.filter(({ before }) => before.length === 0).map(({ name }) => name)).toEqual([])
  expect(new Set(traitCases.map(({ trait }) => trait.name))).toEqual(new Set(textTraits.map(({ name }) => name)))
})

test.each(traitCases)('$name is configured twice alike and restored byte for byte', async ({ item, trait }) => {
  const harness = lay(item, trait.change)
  const treeBefore = harness.tree()
  const toolRequest = { ...request, ...item.choice }
  await harness.apply(item.target, toolRequest)
  expect(await readToolStatus(item.target, toolRequest, harness.place)).toMatchObject({
    status: 'configured',
    drift: [],
  })
  const treeAfterFirstRun = harness.tree()
  await harness.apply(item.target, toolRequest)
  expect(harness.tree()).toEqual(treeAfterFirstRun)
  await harness.restore(item.target)
  expect(harness.tree()).toEqual(treeBefore)
})
