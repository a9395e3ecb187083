import { expect, test, vi } from 'vitest'
import { prepareApply } from '../../../../src/main/tools/apply'
import type { Format } from '../../../../src/main/tools/editors/editor'
import { readToolStatus } from '../../../../src/main/tools/status'
import { writtenTargets } from '../../../../src/main/tools/targets'
import { getRounds, isDeepRun } from '../../../support/depth'
import { allCases, fixturePath, settingsFile, type TargetCase } from './support/cases'
import { catchFailure, request, ToolHarness } from './support/workshop'

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

const addForeignSetting = (text: string, format: Format): string | undefined => {
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
  { name: isDeepRun ? '5 MB' : '100 KB', change: addForeignSetting, isCostly: true },
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

function writeTraitFile(item: TargetCase, change: TextTrait['change']): ToolHarness {
  const harness = new ToolHarness(item)
  for (const file of item.before) {
    const text = change(file.bytes.toString(), settingsFile(item.target, file.id).format)
    harness.writeFileAt(fixturePath(item, file, harness), text ?? file.bytes)
  }
  return harness
}

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
    return formats.length === 0 ? [] : [[item, trait] as const]
  })
})

test('every tool has a fixture with user settings, and every trait is covered', () => {
  expect(typicalCases.filter(({ before }) => before.length === 0).map(({ name }) => name)).toEqual([])
  expect(new Set(traitCases.map(([, { name }]) => name))).toEqual(new Set(textTraits.map(({ name }) => name)))
})

test.each(traitCases.map(([item, trait]) => ({ name: `${item.name} with ${trait.name}`, item, trait })))(
  '$name is configured, the same when configured twice, and restored byte for byte',
  async ({ item, trait }) => {
    const harness = writeTraitFile(item, trait.change)
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
  },
)

const brokenTexts: Readonly<Partial<Record<Format, string>>> = {
  json: '{\n  "a": 1,\n  "private-thing": [2\n',
  jsonc: '{\n  "a": 1,\n  "private-thing": [2\n',
  yaml: 'a: 1\nprivate-thing: [2\nb: {\n',
}

const corruptibleFiles = typicalCases.flatMap((item) =>
  item.target.files.flatMap((file) => {
    const text = brokenTexts[file.format]
    return text === undefined ? [] : [{ name: `${item.target.id}, ${file.id}`, item, file, text }]
  }),
)

test.each(corruptibleFiles)(
  '$name: a file that does not parse is refused with its line and stays unchanged',
  async (broken) => {
    const { item, file, text } = broken
    const harness = writeTraitFile(item, (unchangedText) => unchangedText)
    harness.writeFileAt(file.path(harness.place.environment) ?? '', text)
    for (const originalFile of item.before.filter(({ id }) => id === file.id))
      harness.writeFileAt(fixturePath(item, originalFile, harness), text)
    const treeBefore = harness.tree()
    const failure = await catchFailure(prepareApply(item.target, { ...request, ...item.choice }, harness.place))
    expect(failure).toMatchObject({ code: 'file.unparsable', line: expect.any(Number) })
    expect(JSON.stringify(failure)).not.toContain('private-thing')
    expect(harness.tree()).toEqual(treeBefore)
  },
)
