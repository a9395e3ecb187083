import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { addCleanup, run } from '../../../scripts/lib/processes.mjs'
import { packageCommand, root } from '../../../scripts/lib/project.mjs'
import { script } from '../../../scripts/lib/script.mjs'
import { duration, printLine } from '../../../scripts/lib/steps.mjs'
import { mutations } from './mutations.mjs'

/** @typedef {import('./mutations.mjs').Mutation} Mutation */

const parts = [
  'src',
  'test',
  'scripts',
  'resources',
  'docs',
  '.ci',
  'README.md',
  'package.json',
  'package-lock.json',
  'biome.json',
]
const configs = [
  'electron.vite.config.ts',
  'playwright.config.ts',
  'vitest.config.ts',
  'tsconfig.json',
  'tsconfig.base.json',
]
const usage = `Usage: node test/deep/mutations/run.mjs [--tree=FOLDER] [--only=TEXT] [--results=FILE]
Puts each fault of mutations.mjs into a copy of the tree and runs the tests that can see it: the one it names, the unit tests beside the file, those that
import it, and the end-to-end specs named for it. --results keeps what was found, one JSON line each, and goes on where a run ended.`

/**
 * Reports which faults the tests detect. Exit code 1 if one is not detected or no longer matches the code.
 * @param {string[]} args
 */
async function runMutations(args) {
  /** @type {Map<string, string>} */
  const options = new Map()
  for (const arg of args) {
    const [, name = 'unknown', value = ''] = /^--(tree|only|results)=(.+)$/.exec(arg) ?? []
    options.set(name, value)
  }
  if (options.has('unknown')) {
    console.error(usage)
    return 2
  }
  const tree = resolve(options.get('tree') ?? root)
  const results = options.get('results')
  const storedResults = new Map(results === undefined || !existsSync(results) ? [] : readResults(results))
  const chosenMutations = mutations.filter(({ file, harm }) => `${file} ${harm}`.includes(options.get('only') ?? ''))
  const staleMutations = chosenMutations.filter(
    ({ file, find }) => readFileSync(join(tree, file), 'utf8').split(find).length !== 2,
  )
  for (const { file, find } of staleMutations) printLine(`does not fit any more: ${file}: ${find}`)
  const scratchFolder = copyTree(tree)
  const removeCleanup = addCleanup(() => rmSync(scratchFolder, { recursive: true, force: true }))
  const missedMutations = []
  for (const mutation of chosenMutations.filter((one) => !staleMutations.includes(one))) {
    const startedMs = Date.now()
    const mutationResult = storedResults.get(mutation.harm) ?? (await tryMutation(scratchFolder, mutation))
    if (mutationResult === undefined) missedMutations.push(mutation)
    printLine(
      `${duration(Date.now() - startedMs).padStart(8)}  ${mutation.file}: ${mutation.harm}\n          ${mutationResult ?? 'NOT FOUND'}`,
    )
    if (results !== undefined && mutationResult !== undefined && !storedResults.has(mutation.harm)) {
      appendFileSync(results, `${JSON.stringify({ harm: mutation.harm, foundBy: mutationResult })}\n`)
    }
  }
  rmSync(scratchFolder, { recursive: true, force: true })
  removeCleanup()
  printLine(
    `\n${chosenMutations.length - staleMutations.length - missedMutations.length} of ${chosenMutations.length} faults found`,
  )
  return missedMutations.length + staleMutations.length > 0 ? 1 : 0
}

/**
 * @param {string} file
 * @returns {[string, string | undefined][]}
 */
function readResults(file) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).map(({ harm, foundBy }) => [harm, foundBy])
}

/**
 * A copy of a tree for inserting faults, with the installed packages linked.
 * @param {string} tree
 */
function copyTree(tree) {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'mutations-'))
  for (const copiedPath of [...parts, ...configs].filter((name) => existsSync(join(tree, name)))) {
    cpSync(join(tree, copiedPath), join(scratchFolder, copiedPath), { recursive: true })
  }
  symlinkSync(join(tree, 'node_modules'), join(scratchFolder, 'node_modules'))
  return scratchFolder
}

/**
 * The first test, or the build, that detects a fault. Undefined when none does.
 * @param {string} scratch
 * @param {Mutation} mutation
 * @returns {Promise<string | undefined>}
 */
async function tryMutation(scratch, { file, find, replace, test, spec }) {
  const path = join(scratch, file)
  const textBefore = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    textBefore.replace(find, () => replace),
  )
  try {
    const mirroredTest = join('test/unit', file.replace(/^src\/(.*)\.tsx?$/, '$1'))
    const ownTests = [`${mirroredTest}.test.ts`, `${mirroredTest}.test.tsx`, dirname(mirroredTest)]
    const relatedTests = ownTests.filter((one) => one.split('/').length > 3 && existsSync(join(scratch, one)))
    for (const tests of [...(test === undefined ? [] : [test]), ...relatedTests]) {
      const failure = await catchFailure(scratch, 'vitest', ['run', '--bail=1', tests])
      if (failure !== undefined) return failure
    }
    const failure = await catchFailure(scratch, 'vitest', ['related', file, '--run', '--bail=1'])
    if (failure !== undefined || spec === undefined) return failure
    return (
      (await catchFailure(scratch, 'electron-vite', ['build'])) ??
      (await catchFailure(scratch, '@playwright/test', ['test', spec]))
    )
  } finally {
    writeFileSync(path, textBefore)
  }
}

/**
 * The name of the first failing test, to recognize unrelated failures. Undefined when all pass.
 * @param {string} cwd
 * @param {string} packageName
 * @param {string[]} args
 */
async function catchFailure(cwd, packageName, args) {
  const command = packageCommand(packageName, packageName === '@playwright/test' ? 'playwright' : packageName)
  const { code, output } = await run(process.execPath, [command, ...args], { cwd, keepOutput: true })
  if (code === 0) return undefined
  const [, unit, endToEnd] = /^ *(?:FAIL +(.+)|1\) (.+))$/m.exec(stripVTControlCharacters(output)) ?? []
  return unit ?? endToEnd ?? `${packageName} ended with exit code ${code}`
}

await script(import.meta.url, runMutations)
