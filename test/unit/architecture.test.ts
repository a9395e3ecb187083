import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = new Set(
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path)),
)

/** Source files that a file imports, including type imports and `import()`. */
function listImports(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+|@shared\/[^']+)'/g)].flatMap(([, specifier = '']) => {
    const resolvedPath = specifier.startsWith('@shared/')
      ? specifier.replace('@shared', 'src/shared')
      : posix.join(dirname(path), specifier)
    const match = [resolvedPath, `${resolvedPath}.ts`, `${resolvedPath}.tsx`, `${resolvedPath}/index.ts`].find(
      (candidate) => files.has(candidate),
    )
    return match === undefined ? [] : [match]
  })
}

const imports = new Map([...files].map((path) => [path, listImports(path)]))

/** Whether a file imports another one, directly or through an index.ts. */
const hasImport = (from: string, to: string): boolean =>
  (imports.get(from) ?? []).some(
    (target) => target === to || (target.endsWith('/index.ts') && imports.get(target)?.includes(to)),
  )

/** The layers of main in the order of scripts/layers.grit. */
const layers = 'core gateway platform plans usage relay tools keys playground mcp team compose cli app'.split(' ')

const getFolderIn = (parent: string, path: string): string | undefined =>
  path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).match(/^([^/]+)\//)?.[1] : undefined

/** Creates a file per given import in a new folder and returns the files that the lint rule for layers reports. */
function findLayerViolations(imported: readonly (readonly string[])[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'layers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const plugins = [join(root, 'scripts/layers.grit')]
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins, linter: { rules: { preset: 'none' } } }))
  for (const [path = '', target = ''] of imported) {
    mkdirSync(join(folder, 'src', dirname(path)), { recursive: true })
    writeFileSync(join(folder, 'src', path), `export { name } from '${target}'\n`)
  }
  const command = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const options = ['lint', '--max-diagnostics=none', '--reporter=github', 'src']
  const { stdout } = spawnSync(process.execPath, [command, ...options], { cwd: folder, encoding: 'utf8' })
  return [...stdout.matchAll(/file=[^,]*(src\/[^,]+)/g)].map(([, path = '']) => path)
}

/** All imports from one folder into another folder with the same parent. */
const boundaryViolations = [...imports].flatMap(([from, targets]) =>
  targets.flatMap((to) => {
    const [source, target] = [from.split('/'), to.split('/')]
    const depth = source.findIndex((segment, index) => segment !== target[index])
    const isBetweenFolders = depth < Math.min(source.length, target.length) - 1
    return isBetweenFolders
      ? [{ parent: source.slice(0, depth).join('/'), from: source[depth] ?? '', to: target[depth] ?? '' }]
      : []
  }),
)

/** Subfolders of a folder that are part of an import cycle or import one that is. */
function findImportCycle(parent: string): string[] {
  const usedImports = new Map<string, Set<string>>()
  for (const boundaryViolation of boundaryViolations)
    if (boundaryViolation.parent === parent)
      usedImports.set(
        boundaryViolation.from,
        (usedImports.get(boundaryViolation.from) ?? new Set()).add(boundaryViolation.to),
      )
  const remainingFolders = new Set(usedImports.keys())
  // Remove folders without remaining imports, again and again. Only folders with cycles are left.
  for (let size = -1; size !== remainingFolders.size; ) {
    size = remainingFolders.size
    for (const folder of remainingFolders)
      if (![...(usedImports.get(folder) ?? [])].some((importedFolder) => remainingFolders.has(importedFolder)))
        remainingFolders.delete(folder)
  }
  return [...remainingFolders].map((folder) => `${parent}/${folder}`)
}

describe('the architecture', () => {
  it('has only folders in main that the lint rule of layers knows', () => {
    expect(new Set([...files].flatMap((path) => getFolderIn('src/main', path) ?? []))).toEqual(new Set(layers))
  })

  it('reports an import of a later layer, or past the index of a feature, when linting', () => {
    const forbiddenUpwardImports = layers
      .slice(1)
      .map((later, index) => [`main/${layers[index]}/file.ts`, `../${later}/file`])
    const forbiddenImports = [
      ...forbiddenUpwardImports,
      ['main/usage/quota/file.ts', '../../relay/file'],
      ['renderer/features/keys/file.ts', '../tools/file'],
      ['renderer/features/keys/register/file.ts', '../../tools/history/file'],
    ]
    const allowedImports = [
      ['main/relay/other.ts', '../core/file'],
      ['main/app/file.ts', '../compose/file'],
      ['main/keys/rotation/file.ts', '../register/file'],
      ['renderer/features/tools/file.ts', '../keys'],
      ['renderer/features/tools/other.ts', '../keys/rotation'],
      ['renderer/features/tools/history/file.ts', `${'../'.repeat(3)}ui/file`],
    ]
    expect(findLayerViolations([...forbiddenImports, ...allowedImports]).sort()).toEqual(
      forbiddenImports.map(([path]) => `src/${path}`).sort(),
    )
  })

  it('has at most 14 folders in main and 15 features', () => {
    const featureFolders = new Set([...files].flatMap((path) => getFolderIn('src/renderer/features', path) ?? []))
    expect(layers.length).toBeLessThanOrEqual(14)
    expect(featureFolders.size).toBeLessThanOrEqual(15)
  })

  it('has no circle of folders in main, the features or the sandbox', () => {
    const parents = new Set(boundaryViolations.map(({ parent }) => parent))
    const isChecked = (folder: string): boolean => /^src\/(main|renderer\/features|sandbox)(\/|$)/.test(folder)
    expect([...parents].filter(isChecked).flatMap(findImportCycle)).toEqual([])
  })

  it.each([
    ['One click: "Configure"', 14],
    ['One rotation', 10],
    ['A list: agent runtimes', 12],
    ['One relayed request', 12],
  ])('documents "%s" as a path of real imports', (title, max) => {
    const document = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const [, section = ''] = document.split(`## ${title}\n`)
    const steps = [...(section.split('\n## ')[0] ?? '').matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path)
    expect(steps.length).toBeGreaterThan(5)
    expect(steps.length).toBeLessThanOrEqual(max)
    expect(new Set(steps).size).toBe(steps.length)
    // The bridge separates the window from the handlers: no import leads from one to the other.
    const unreachableSteps = steps.filter(
      (step, index) =>
        index > 0 &&
        !/^src\/main\/app\/[\w-]*handlers\.ts$/.test(step) &&
        !steps.slice(0, index).some((earlier) => hasImport(earlier, step)),
    )
    expect(unreachableSteps).toEqual([])
  })
})
