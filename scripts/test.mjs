import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { ensureAge } from './ensure-age.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { ensureSystem } from './ensure-system.mjs'
import { addCleanup, run } from './lib/processes.mjs'
import { packageCommand, resolveFromRoot, root } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { duration, printLine, printStepFailure, StepFailure } from './lib/steps.mjs'
import {
  addTallies,
  closingLine,
  countPlaywright,
  countSkipped,
  countVitest,
  createFailedTally,
  judgeTestRun,
  parseTestCounts,
  runOneTest,
  sum,
  summary,
} from './lib/test-summary.mjs'

/**
 * @typedef {import('./lib/test-summary.mjs').Tally} Tally
 * @typedef {'check' | 'unit' | 'e2e'} Level
 *
 * @typedef {object} Request parsed command line
 * @property {readonly Level[]} levels
 * @property {boolean} isDeep run the deep tests as well
 * @property {string | undefined} changedSince run only tests of changes since this commit
 * @property {readonly string[]} patterns substrings of test file paths
 * @property {readonly string[]} options options for the test runner of the only level
 *
 * @typedef {Request & { reports: string, setupFailure?: string | undefined, buildFailure?: string | undefined }} Context
 */

const levels = /** @type {const} */ (['check', 'unit', 'e2e'])
const usage = `Usage: npm test [-- PATTERN...]      all tests, or the test files with a PATTERN in their path
       npm run test:deep [-- PATTERN...]  the long form of all tests (TEST_SEED=N reproduces a run)
       npm run test:changed [-- COMMIT]   tests affected by changes since COMMIT (default: HEAD)
       node scripts/test.mjs --only=check|unit|e2e [PATTERN | OPTION of the test runner]...`
const temporaryPrefix = 'companion-tests-'
const memoryFolder = '/dev/shm'
/** Free space in bytes that the RAM disk must have. A complete run took 0.3 GB. */
const minFreeMemoryBytes = 4 * 2 ** 30

/**
 * Sets everything up, runs every phase even after a failure, and prints a summary.
 * @param {string[]} args
 */
async function test(args) {
  const request = parseArguments(process.env.TEST_DEPTH === 'deep' ? [...args, '--deep'] : args)
  if (request === undefined) {
    console.error(usage)
    return 2
  }
  const startedMs = Date.now()
  const removeTemporary = ownTemporaryFolder(request.isDeep ? tmpdir() : findFastestTempFolder())
  if (request.isDeep) {
    process.env.TEST_DEPTH = 'deep'
    process.env.TEST_SEED ??= String(startedMs % 2 ** 31)
    printLine(`The seed of this run: TEST_SEED=${process.env.TEST_SEED}`)
  }
  const reports = mkdtempSync(join(tmpdir(), 'reports-'))
  const countsByPhase = await runPhases({ ...request, reports })
  rmSync(reports, { recursive: true, force: true })
  const leftoverNames = removeTemporary()
  if (leftoverNames.length > 0) printLine(`\nLeft in the temporary folder, and removed: ${leftoverNames.join(', ')}`)
  if (request.isDeep) printLine(`\nTo repeat this run: TEST_SEED=${process.env.TEST_SEED} npm run test:deep`)
  printLine(
    ['', ...summary(countsByPhase), `after ${duration(Date.now() - startedMs)}`, '', closingLine(countsByPhase)].join(
      '\n',
    ),
  )
  return sum(countsByPhase).failed > 0 ? 1 : 0
}

/**
 * @param {readonly string[]} args
 * @returns {Request | undefined} undefined for invalid arguments
 */
function parseArguments(args) {
  const selectedLevel = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length)
  const isDeepRun = args.includes('--deep')
  const hasChangedFlag = args.includes('--changed')
  const otherArgs = args.filter((arg) => !arg.startsWith('--only=') && arg !== '--deep' && arg !== '--changed')
  const patterns = otherArgs.filter((arg) => !arg.startsWith('-'))
  const options = otherArgs.filter((arg) => arg.startsWith('-'))
  if (selectedLevel !== undefined && !levels.some((level) => level === selectedLevel)) return undefined
  if (options.length > 0 && selectedLevel === undefined) return undefined
  if (hasChangedFlag && (isDeepRun || patterns.length > 1)) return undefined
  const chosenLevels = levels.filter((level) =>
    selectedLevel === undefined ? !isDeepRun || level !== 'check' : level === selectedLevel,
  )
  return {
    levels: patterns.length > 0 && !hasChangedFlag ? chosenLevels.filter((level) => level !== 'check') : chosenLevels,
    isDeep: isDeepRun,
    changedSince: hasChangedFlag ? (patterns[0] ?? 'HEAD') : undefined,
    patterns: hasChangedFlag ? [] : patterns,
    options,
  }
}

/**
 * Returns the folder for temporary files: a RAM disk on Linux if it has room and allows execution. File operations take a
 * third of the time of some tests on a disk. Deep tests use the disk, like users do.
 */
function findFastestTempFolder() {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    const shmMountLine = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memoryFolder)
    if (bavail * bsize >= minFreeMemoryBytes && shmMountLine !== undefined && !/\bnoexec\b/.test(shmMountLine))
      return memoryFolder
  } catch {
    // Fallback for a system without a RAM disk.
  }
  return tmpdir()
}

/**
 * Creates a temporary folder for this run and its processes, and removes folders of killed runs.
 * @param {string} parent
 * @returns {() => string[]} removes it and returns the files that were left in it
 */
function ownTemporaryFolder(parent) {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(temporaryPrefix))) {
    const owner = Number(name.slice(temporaryPrefix.length).split('-')[0])
    if (!isRunning(owner)) rmSync(join(parent, name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(parent, `${temporaryPrefix}${process.pid}-`))
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder
  // jiti, which loads electron-builder's configuration, would write its cache into the temporary folder.
  process.env.JITI_FS_CACHE = 'false'
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const removeCleanup = addCleanup(remove)
  return () => {
    const leftoverNames = readdirSync(folder)
    remove()
    removeCleanup()
    return leftoverNames
  }
}

/** @param {number} id */
function isRunning(id) {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** @param {Context} context */
async function runPhases(context) {
  /** @type {Map<string, Tally>} */
  const countsByPhase = new Map()
  const noPackages = await runStep(ensureDependencies)
  if (noPackages !== undefined) return countsByPhase.set('set-up', createFailedTally(noPackages))
  const wantedFiles = { unit: matchingFiles('unit', context), e2e: matchingFiles('e2e', context) }
  if (context.patterns.length > 0 && !wantedFiles.unit?.length && !wantedFiles.e2e?.length) {
    return countsByPhase.set(
      'tests',
      createFailedTally(`no test file has ${context.patterns.join(' or ')} in its path`),
    )
  }
  const hasEndToEnd = context.levels.includes('e2e') && wantedFiles.e2e?.length !== 0
  const prepareElectron = async () => {
    if (hasEndToEnd) context.setupFailure ??= await runStep(ensureElectron)
  }
  if (hasEndToEnd) context.setupFailure = await runStep(() => ensureSystem({ desktop: true, deep: context.isDeep }))
  // Unit tests replace Electron, so they run while it is downloaded and unpacked. Deep ones start the app.
  if (context.isDeep) await prepareElectron()
  /** @param {string} name @param {() => Promise<Tally | undefined>} work */
  const phase = async (name, work) => {
    const phaseCounts = await runPhase(name, work)
    if (phaseCounts !== undefined) countsByPhase.set(name, phaseCounts)
  }
  const checks = async () => {
    await prepareElectron()
    if (context.levels.includes('check')) {
      await phase('type check', () => runCommand('typescript', 'tsc', ['-b', '--checkers', '1']))
      await phase('lint', () => runCommand('@biomejs/biome', 'biome', ['check', '--error-on-warnings', '.']))
      await phase('unused exports', () => runCommand('knip', 'knip', ['--production', '--no-progress']))
      await phase('language', async () =>
        runOneTest((await run(process.execPath, [resolveFromRoot('scripts/language.mjs')], { cwd: root })).code),
      )
    }
    if (hasEndToEnd) await phase('build', () => build(context))
  }
  const runUnitTests = async () => {
    if (context.levels.includes('unit') && wantedFiles.unit?.length !== 0) {
      await phase('unit tests', () => unitTests(context, wantedFiles.unit ?? []))
    }
  }
  await Promise.all([checks(), runUnitTests()])
  if (hasEndToEnd) await phase('end to end', () => runEndToEndTests(context, wantedFiles.e2e ?? []))
  return countsByPhase
}

/**
 * Test files of a level whose relative path contains one of the patterns. Undefined means all files.
 * @param {'unit' | 'e2e'} level
 * @param {Request} request
 */
function matchingFiles(level, { patterns, isDeep }) {
  if (patterns.length === 0) return undefined
  const folders = {
    unit: ['test/unit', ...(isDeep ? ['test/deep'] : [])],
    e2e: ['test/e2e', ...(isDeep ? ['test/deep/e2e'] : [])],
  }
  const testFilePattern = level === 'unit' ? /\.test\.tsx?$/ : /\.spec\.ts$/
  const foundFiles = folders[level].flatMap(listFiles).filter((path) => testFilePattern.test(path))
  const files = level === 'e2e' && isDeep ? foundFiles.filter(hasDeepTests) : foundFiles
  return files.filter((path) => patterns.some((pattern) => path.includes(pattern)))
}

/**
 * Whether a file contains deep end-to-end tests, by its folder or tag.
 * @param {string} path
 */
const hasDeepTests = (path) => path.startsWith('test/deep/') || readText(resolveFromRoot(path)).includes("'@deep'")

/**
 * @param {string} folder
 * @returns {string[]} paths from the root, with slashes
 */
function listFiles(folder) {
  try {
    const names = readdirSync(resolveFromRoot(folder), { recursive: true, encoding: 'utf8' })
    return names.map((name) => relative(root, resolveFromRoot(folder, name)).split(sep).join('/'))
  } catch {
    return []
  }
}

/**
 * @param {string} name
 * @param {() => Promise<Tally | undefined>} work
 */
async function runPhase(name, work) {
  const startedMs = Date.now()
  printLine(`\n== ${name}`)
  const phaseCounts = await work().catch((error) => {
    console.error(printStepFailure(error))
    return createFailedTally('crashed; the reason is above')
  })
  const taskState = phaseCounts !== undefined && phaseCounts.failed > 0 ? 'failed' : 'done'
  printLine(`== ${name}: ${taskState} after ${duration(Date.now() - startedMs)}`)
  return phaseCounts
}

/**
 * Runs `work`. If it fails, prints the failure and returns its cause and fix. Otherwise returns undefined.
 * @param {() => Promise<void>} work
 */
async function runStep(work) {
  try {
    await work()
    return undefined
  } catch (error) {
    console.error(printStepFailure(error))
    if (error instanceof StepFailure) return `${error.message} To go on, ${error.remedy}.`
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Runs a command parallel to the unit tests. Prints its output when it ends, so lines do not mix.
 * @param {string} packageName
 * @param {string} command
 * @param {string[]} args
 */
async function runCommand(packageName, command, args) {
  const commandLine = [packageCommand(packageName, command), ...args]
  const { code, output } = await run(process.execPath, commandLine, { cwd: root, keepOutput: true })
  if (output.trim() !== '') printLine(output.trimEnd())
  return runOneTest(code)
}

/**
 * @param {Context} context
 * @param {readonly string[]} files all when there are none
 */
async function unitTests({ reports, options, changedSince }, files) {
  const report = join(reports, 'unit.json')
  const changedArguments = changedSince === undefined ? [] : ['--changed', changedSince, '--passWithNoTests']
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // Without an installed `age` tool, tests use stored files that it created earlier. The report counts tests that need
  // the tool as skipped.
  const ageStepFailed = await runStep(ensureAge)
  const args = ['run', ...reporters, ...changedArguments, ...options, ...files]
  const { code } = await run(process.execPath, [packageCommand('vitest', 'vitest'), ...args], {
    cwd: root,
    env: { ...process.env, ...(ageStepFailed === undefined ? { REAL_AGE: '1' } : {}) },
  })
  const testCounts = countVitest(readText(report))
  return changedSince !== undefined && code === 0 ? testCounts : judgeTestRun(testCounts, code)
}

/** @param {Context} context */
async function build(context) {
  context.buildFailure = await runStep(ensureBuild)
  return context.buildFailure === undefined ? undefined : createFailedTally(context.buildFailure)
}

/**
 * @param {Context} context
 * @param {readonly string[]} files all when there are none
 */
async function runEndToEndTests({ reports, options, changedSince, isDeep, setupFailure, buildFailure }, files) {
  const report = join(reports, 'e2e.json')
  const coveragePath = join(reports, 'coverage.json')
  const changedArguments = changedSince === undefined ? [] : [`--only-changed=${changedSince}`, '--pass-with-no-tests']
  // The coverage of platform operations needs a complete run.
  const isComplete = [...files, ...options, ...changedArguments].length === 0 && !isDeep
  const reporters = ['list', 'json', ...(isComplete ? ['./test/support/coverage-reporter.ts'] : [])]
  const patterns = files.map((file) => file.replaceAll('.', '\\.'))
  const command = [
    packageCommand('@playwright/test', 'playwright'),
    'test',
    ...changedArguments,
    ...options,
    ...patterns,
  ]
  // Keeps the compile cache outside the run's temporary folder, so the next run can use it.
  const env = {
    ...process.env,
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    COVERAGE_TALLY: coveragePath,
    PWTEST_CACHE_DIR: join(root, 'node_modules/.cache/playwright'),
  }
  const obstacle = setupFailure ?? buildFailure
  if (obstacle !== undefined) {
    await run(process.execPath, [...command, '--list', '--reporter=json'], { cwd: root, env, keepOutput: true })
    return countSkipped(readText(report), obstacle)
  }
  const { code } = await run(process.execPath, [...command, `--reporter=${reporters}`], { cwd: root, env })
  const testCounts = countPlaywright(readText(report))
  if (changedSince !== undefined && code === 0) return testCounts
  if (!isComplete || testCounts === undefined) return judgeTestRun(testCounts, code)
  return judgeTestRun(addTallies(testCounts, parseTestCounts(readText(coveragePath), 'coverage of the platform')), code)
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

await script(import.meta.url, test)
