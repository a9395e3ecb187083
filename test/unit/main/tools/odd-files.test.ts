import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { realDisk } from '../../../../src/main/core/files/disk'
import { prepareApply } from '../../../../src/main/tools/apply'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { isDeepRun } from '../../../support/depth'
import { readAttributes, writeWithAttributes } from '../../../support/file-attributes'
import { catchFailure, request, ToolHarness } from './support/workshop'

vi.setConfig({ testTimeout: 10 * 60_000 })

const json = '{\n  "theme": "dark",\n  "mine": [1, 2]\n}\n'

/** Contents of files. `fixtures.test.ts` shows more of them, for every tool. */
const contents: Readonly<Record<string, string | Uint8Array>> = {
  'plain lines': json,
  'a byte order mark and line ends of Windows': `\uFEFF${json.replaceAll('\n', '\r\n')}`,
  'an empty file': '',
  'blank lines': '\n \n\n',
  'letters of many scripts': '{ "tên": "Đà Nẵng", "😀": "\\ud83d\\ude00", "‏": "\u202e" }\n',
  'binary data': Uint8Array.from({ length: 700 }, (_, index) => (index * 37) % 256),
}
const links = ['none', 'hard', 'symbolic', 'chain'] as const
const modes = [0o644, 0o640, 0o600]

type UnusualFile = {
  readonly content: string
  readonly link: (typeof links)[number]
  readonly hasAttributes: boolean
  readonly mode: number
}

const oddFileVariants: readonly UnusualFile[] = Object.keys(contents).flatMap((content) =>
  links.flatMap((link) =>
    [false, true].flatMap((hasAttributes) => modes.map((mode) => ({ content, link, hasAttributes, mode }))),
  ),
)

/** Creates a settings file with the given content, links and attributes. Returns every path to it. */
function writeOddFile(harness: ToolHarness, { content, link, hasAttributes, mode }: UnusualFile): string[] {
  const path = harness.getFile(openCode)
  const dotfilesFolder = join(harness.home, 'dots')
  mkdirSync(dirname(path), { recursive: true })
  mkdirSync(dotfilesFolder)
  const [real, between] = [join(dotfilesFolder, 'real'), join(dotfilesFolder, 'between')]
  const file = link === 'symbolic' || link === 'chain' ? real : path
  const bytes = Buffer.from(contents[content] ?? '')
  if (hasAttributes) writeWithAttributes(file, bytes)
  else writeFileSync(file, bytes)
  chmodSync(file, mode)
  if (link === 'hard') linkSync(file, real)
  if (link === 'symbolic') symlinkSync(real, path)
  if (link === 'chain') {
    symlinkSync('real', between)
    symlinkSync(between, path)
  }
  return [path, ...readdirSync(dotfilesFolder).map((name) => join(dotfilesFolder, name))]
}

/** Reads the metadata of a file. */
function readFacts(path: string) {
  const { mode, uid, gid, nlink } = statSync(path)
  const isLink = lstatSync(path).isSymbolicLink()
  return {
    mode,
    uid,
    gid,
    nlink,
    link: isLink ? readlinkSync(path) : '',
    attributes: isLink ? '' : readAttributes(path),
  }
}

const readFactsAndBytes = (path: string) => ({ ...readFacts(path), bytes: readFileSync(path).toString('latin1') })

async function configureAndUndo(oddFile: UnusualFile): Promise<void> {
  const harness = new ToolHarness({ disk: realDisk })
  const paths = writeOddFile(harness, oddFile)
  const [path = ''] = paths
  const fileDetailsBefore = paths.map(readFactsAndBytes)
  const folders = harness.tree()
  const failure = await catchFailure(harness.apply(openCode, request))
  if (oddFile.content === 'binary data') expect(failure?.code).toBe('file.unparsable')
  else {
    expect(failure).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toContain(request.gatewayUrl)
    expect(paths.map(readFacts)).toEqual(fileDetailsBefore.map(({ bytes: _, ...facts }) => facts))
    await harness.restore(openCode)
  }
  expect(paths.map(readFactsAndBytes)).toEqual(fileDetailsBefore)
  expect(Object.keys(harness.tree())).toEqual(Object.keys(folders))
  harness.close()
}

test(`${oddFileVariants.length} unusual files are configured and restored byte for byte, with links, modes and attributes`, async () => {
  expect(oddFileVariants).toHaveLength(144)
  // Quick runs include each content once, and each link and mode with different contents.
  const count = oddFileVariants.length / Object.keys(contents).length
  const selectedFiles = oddFileVariants.filter(
    (_, index) => isDeepRun || index % count === (Math.floor(index / count) * 5) % count,
  )
  for (const unusualFile of selectedFiles) {
    await configureAndUndo(unusualFile).catch((error: unknown) => {
      throw new Error(`A file of ${JSON.stringify(unusualFile)}`, { cause: error })
    })
  }
})

test('a file with another owner and group keeps both, even in a set-group-id folder', async () => {
  const harness = new ToolHarness({ disk: realDisk })
  const path = harness.getFile(openCode)
  harness.writeFileAt(path, json, 0o664)
  // Only the superuser can change the owner of a file.
  if (process.getuid?.() === 0) {
    chownSync(dirname(path), 0, 23_456)
    chownSync(path, 12_345, 34_567)
  }
  chmodSync(dirname(path), 0o2775)
  const fileDetailsBefore = readFactsAndBytes(path)
  await harness.apply(openCode, request)
  const { uid, gid, mode } = fileDetailsBefore
  expect(readFacts(path)).toMatchObject({ uid, gid, mode })
  await harness.restore(openCode)
  expect(readFactsAndBytes(path)).toEqual(fileDetailsBefore)
})

test('a read-only file is refused and keeps its attributes', async () => {
  const harness = new ToolHarness({ disk: realDisk })
  const path = harness.getFile(openCode)
  mkdirSync(dirname(path), { recursive: true })
  writeWithAttributes(path, Buffer.from(json))
  chmodSync(path, 0o444)
  const fileDetailsBefore = readFactsAndBytes(path)
  expect(await catchFailure(harness.apply(openCode, request))).toMatchObject({ code: 'file.unwritable' })
  expect(readFactsAndBytes(path)).toEqual(fileDetailsBefore)
})

test('for another user’s file that can only be replaced, preview and undo warn first', async () => {
  const harness = new ToolHarness({ disk: realDisk })
  const path = harness.getFile(openCode)
  harness.writeFileAt(path, json)
  const user = statSync(path).uid + 1
  const disk = { ...realDisk, user, isWritable: async () => false }
  const warning = { code: 'fileReplaced', subject: path }
  expect((await prepareApply(openCode, request, harness.on(disk))).warnings).toContainEqual(warning)
  expect((await prepareApply(openCode, request, harness.place)).warnings).not.toContainEqual(warning)
  await harness.apply(openCode, request)
  expect((await prepareRestore(openCode, harness.on(disk))).warnings).toContainEqual(warning)
})
