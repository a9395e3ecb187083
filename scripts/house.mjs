#!/usr/bin/env node
// Prints the size and the structure of src: `npm run house`; `-- --exports` also lists each export with one user or none, with that
// user. Reads imports and exports as text; changes nothing.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

const paths = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(tsx?|css)$/.test(name))
  .map((name) => join('src', name).replaceAll('\\', '/'))
const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const code = paths.filter((path) => !path.endsWith('.css'))

/**
 * The file that an import means; nothing for a package.
 * @param {string} from
 * @param {string} specifier
 */
function resolve(from, specifier) {
  const base = specifier.startsWith('@shared/')
    ? `src/shared/${specifier.slice('@shared/'.length)}`
    : specifier.startsWith('.')
      ? relative(root, join(root, dirname(from), specifier)).replaceAll('\\', '/')
      : undefined
  return (
    base && [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].find((path) => files.has(path))
  )
}

/** @typedef {{ to: string, names: string, isLater: boolean, isPassedOn: boolean }} Import */

/**
 * What a file imports of the others, `import type` and `import()` included.
 * @param {string} path
 * @returns {Import[]}
 */
function importsOf(path) {
  const text = files.get(path) ?? ''
  const statements = [...text.matchAll(/^(import|export)\s+(?:type\s+)?([^'";]*?)\s*(?:from\s+)?'([^']+)'/gm)]
  const later = [...text.matchAll(/\bimport\(\s*'([^']+)'/g)]
  return [
    ...statements.map(([, word, names = '', specifier = '']) => {
      return { to: resolve(path, specifier), names, isLater: false, isPassedOn: word === 'export' }
    }),
    ...later.map(([, specifier = '']) => {
      return { to: resolve(path, specifier), names: '*', isLater: true, isPassedOn: false }
    }),
  ].flatMap(({ to, ...rest }) => (to && to !== path && !to.endsWith('.css') ? [{ to, ...rest }] : []))
}

const imports = new Map(code.map((path) => [path, importsOf(path)]))

/** Groups of files that import each other in a circle (Tarjan), types included, `import()` left out. */
function circles() {
  /** @type {Map<string, { index: number, low: number }>} */
  const seen = new Map()
  /** @type {string[]} */
  const stack = []
  /** @type {string[][]} */
  const found = []
  /** @param {string} path */
  const visit = (path) => {
    const own = { index: seen.size, low: seen.size }
    seen.set(path, own)
    stack.push(path)
    for (const { to, isLater } of imports.get(path) ?? []) {
      if (isLater) continue
      const next = seen.get(to) ?? visit(to)
      if (stack.includes(to)) own.low = Math.min(own.low, next.low)
    }
    if (own.low === own.index) {
      const members = stack.splice(stack.indexOf(path))
      if (members.length > 1) found.push(members)
    }
    return own
  }
  for (const path of code) if (!seen.has(path)) visit(path)
  return found
}

/**
 * The files that use a name of a file; what comes with `* as` or `import()` counts as used by that file. A file that passes a name on
 * does not use it: those that take it from there do.
 * @param {string} path
 * @param {string} name
 * @returns {string[]}
 */
function usersOf(path, name) {
  return code.flatMap((user) =>
    (imports.get(user) ?? [])
      .filter(({ to, names }) => to === path && (names.includes('*') || new RegExp(`\\b${name}\\b`).test(names)))
      .flatMap(({ isPassedOn }) => (isPassedOn ? usersOf(user, name) : [user])),
  )
}

/** Each exported name with the files that use it. */
function exportUsers() {
  const exported = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm
  return code.flatMap((path) =>
    [...(files.get(path) ?? '').matchAll(exported)].map(([, name = '']) => {
      return { path, name, users: [...new Set(usersOf(path, name))] }
    }),
  )
}

/** @param {string} path */
const featureOf = (path) => path.match(/^src\/renderer\/features\/([^/]+)\//)?.[1]
const pairs = new Set()
for (const [path, list] of imports)
  for (const { to } of list) {
    const [from, other] = [featureOf(path), featureOf(to)]
    if (from && other && from !== other) pairs.add(`${from} ${other}`)
  }
const mutual = [...pairs].filter((pair) => {
  const [from, other] = pair.split(' ')
  return from < other && pairs.has(`${other} ${from}`)
})

/** @param {string} path */
const lines = (path) => (files.get(path) ?? '').split('\n').length - 1
const sizes = code.map(lines).sort((a, b) => a - b)
/** @param {number} share */
const at = (share) => sizes[Math.floor(sizes.length * share)]
const exports = exportUsers()
const single = exports.filter(({ users }) => users.length <= 1)
const cycles = circles()

console.log(`files           ${paths.length} (${paths.length - code.length} of them styles); budget 750`)
console.log(`lines           ${paths.reduce((sum, path) => sum + lines(path), 0)}; budget 112000`)
console.log(`lines of a file median ${at(0.5)}, 9 of 10 at most ${at(0.9)}, longest ${sizes.at(-1)}; budget 500`)
console.log(`under 40 lines  ${sizes.filter((size) => size < 40).length}`)
console.log(
  `exports         ${exports.length}, ${Math.round((single.length / exports.length) * 100)} % with one user or none; budget 25 %`,
)
console.log(
  `features        ${pairs.size} pairs import each other's files, ${mutual.length} of them both ways; budget 0 both ways`,
)
for (const pair of mutual) console.log(`  ${pair.replace(' ', ' <-> ')}`)
console.log(`circles         ${cycles.length}; budget 0`)
for (const members of cycles) console.log(`  ${members.join(' ')}`)
if (process.argv.includes('--exports')) {
  for (const { path, name, users } of single) console.log(`${path} ${name} <- ${users[0] ?? 'nobody'}`)
}
