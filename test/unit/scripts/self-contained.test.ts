import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folders = ['.ci', 'docs', 'resources', 'scripts', 'src', 'test']
const textFile = /\.(ts|tsx|mjs|cjs|cts|js|json|jsonc|css|html|md|sh|yml|yaml|c)$|(^|\/)run$/
// Skip fixtures, because they are files of other programs with their own paths.
const recordedPath = /^test\/fixtures\//

function textFiles(): string[] {
  const folderFiles = folders.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
      : [],
  )
  const paths = [...readdirSync(root), ...folderFiles].map((path) => path.split(sep).join('/'))
  // Skip files with import patterns or paths of other folders.
  const extraFiles = ['package-lock.json', 'biome.json']
  return paths.filter((path) => textFile.test(path) && !recordedPath.test(path) && !extraFiles.includes(path))
}

/** Relative paths in a text that lead out of the project, from a folder at this depth. */
function findEscapingPaths(text: string, depth: number): string[] {
  return (text.match(/(?:\.\.[\\/]+)+[\w.@-]*/g) ?? []).filter((path) => path.split('..').length - 1 > depth)
}

test('no file of the project contains a path that leaves it', () => {
  const files = textFiles()
  expect(files.length).toBeGreaterThan(1000)
  const escapingReferences = files.flatMap((path) => {
    const depth = path.split('/').length - 1
    const text = readFileSync(join(root, path), 'utf8')
    // Skip code blocks in documents, because their paths are relative to another file.
    const textWithoutCode = path.endsWith('.md') ? text.replace(/^```[\s\S]*?^```/gm, '') : text
    return findEscapingPaths(textWithoutCode, depth).map((climbing) => `${path}: ${climbing}`)
  })
  expect(escapingReferences).toEqual([])
})

/** The installed packages that a script imports, directly or through its modules. */
function listPackages(script: string, visitedScripts = new Set<string>()): string[] {
  if (visitedScripts.has(script)) return []
  visitedScripts.add(script)
  const imports = readFileSync(script, 'utf8').matchAll(/^(?:import|export) (?:[^';]*? from )?'(?<from>[^']+)'/gm)
  return [...imports].flatMap(({ groups: { from = '' } = {} }) => {
    if (from.startsWith('.')) return listPackages(join(dirname(script), from), visitedScripts)
    return from.startsWith('node:') ? [] : [`${script}: ${from}`]
  })
}

test('every command of the project starts in a fresh checkout, before anything is installed', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const scriptFiles = new Set(Object.values(scripts).flatMap((command) => /^node (\S+)/.exec(command)?.[1] ?? []))
  expect(scriptFiles.size).toBeGreaterThan(7)
  expect([...scriptFiles].flatMap((script) => listPackages(join(root, script)))).toEqual([])
})

test.each([
  ['a file beside the project', `join(here, '${'../'.repeat(3)}shared/facts.json')`, 2, ['../../../shared']],
  ['a file of the project', `from '${'../'.repeat(2)}src/main/core/secret'`, 2, []],
  ['a Windows path', String.raw`'..\..\other'`, 1, [String.raw`..\..\other`]],
])('detects %s', (_name, text, depth, expectedPaths) => {
  expect(findEscapingPaths(text, depth)).toEqual(expectedPaths)
})
