import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = new Set(
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path)),
)

/** The source files that a file imports, types and `import()` included. */
function listImports(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+|@shared\/[^']+)'/g)].flatMap(([, specifier = '']) => {
    const base = specifier.startsWith('@shared/')
      ? specifier.replace('@shared', 'src/shared')
      : posix.join(dirname(path), specifier)
    const found = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((candidate) => files.has(candidate))
    return found === undefined ? [] : [found]
  })
}

const imports = new Map([...files].map((path) => [path, listImports(path)]))

/** Whether a file imports another one, directly or through an index.ts. */
const uses = (from: string, to: string): boolean =>
  (imports.get(from) ?? []).some(
    (target) => target === to || (target.endsWith('/index.ts') && imports.get(target)?.includes(to)),
  )

/** The layers of main. A folder imports itself and folders before it. */
const layers = 'core gateway platform plans usage relay tools keys playground mcp team compose cli app'.split(' ')

const folderIn = (parent: string, path: string): string | undefined =>
  path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).match(/^([^/]+)\//)?.[1] : undefined

/** Imports between two folders of a parent folder. */
const crossings = (parent: string) =>
  [...imports].flatMap(([from, targets]) =>
    targets.flatMap((to) => {
      const [source, target] = [folderIn(parent, from), folderIn(parent, to)]
      return source && target && source !== target ? [{ from, to, source, target }] : []
    }),
  )

describe('the architecture', () => {
  it('has only the known layers in main, and each imports only layers before it', () => {
    const folders = [...files].flatMap((path) => folderIn('src/main', path) ?? [])
    expect(new Set(folders)).toEqual(new Set(layers))
    const wrong = crossings('src/main').filter(({ source, target }) => layers.indexOf(target) > layers.indexOf(source))
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  it('lets a feature of the window use another one only through an index.ts', () => {
    const wrong = crossings('src/renderer/features').filter(({ to }) => !to.endsWith('/index.ts'))
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  it('has at most 15 features, and no circle of features', () => {
    const used = new Map<string, Set<string>>()
    for (const { source, target } of crossings('src/renderer/features'))
      used.set(source, (used.get(source) ?? new Set()).add(target))
    const features = new Set([...files].flatMap((path) => folderIn('src/renderer/features', path) ?? []))
    expect(features.size).toBeLessThanOrEqual(15)
    // Removes features that use none of the remaining ones, until nothing is left or only circles are.
    for (let size = -1; size !== features.size; ) {
      size = features.size
      for (const feature of features)
        if (![...(used.get(feature) ?? [])].some((other) => features.has(other))) features.delete(feature)
    }
    expect([...features]).toEqual([])
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
    const unreachable = steps.filter(
      (step, index) =>
        index > 0 &&
        !/^src\/main\/app\/[\w-]*handlers\.ts$/.test(step) &&
        !steps.slice(0, index).some((earlier) => uses(earlier, step)),
    )
    expect(unreachable).toEqual([])
  })
})
