import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installTool, pinnedTools } from '../test/tools/install-tools.mjs'
import { loopbackOnly } from '../test/tools/loopback-only.mjs'
import { writeTriedTable } from '../test/tools/tried-table.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { ensureSystem } from './ensure-system.mjs'
import { withDesktop } from './lib/desktop.mjs'
import { addCleanup, run } from './lib/processes.mjs'
import { packageCommand, resolveFromRoot, root } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { printLine } from './lib/steps.mjs'
import { closingLine, countPlaywright, judgeTestRun, summary } from './lib/test-summary.mjs'

/**
 * Installs the real coding tools from npm, separate from this project's dependencies, and runs them against the sandbox.
 * `--latest` installs their newest versions. Other arguments go to the test runner (`-g opencode`). Writes the results
 * into the table of `docs/tools.md`.
 * @param {string[]} args
 */
async function testTools(args) {
  const isLatest = args.includes('--latest')
  await ensureDependencies()
  await ensureSystem({ desktop: true })
  await ensureElectron()
  await ensureBuild()
  /** @type {Record<string, import('../test/tools/install-tools.mjs').Installed>} */
  const installedTools = {}
  for (const tool of pinnedTools) {
    const installation = await installTool(tool, isLatest)
    installedTools[tool.id] = installation
    printLine(
      'failure' in installation
        ? `   ${tool.id}: NOT INSTALLED, its tests fail: ${installation.failure}`
        : `   ${tool.id} ${installation.version}`,
    )
  }
  const network = await loopbackOnly()
  printLine(
    network ? '   The tools reach this machine only.' : '   The tools can reach the internet here (no unshare and ip).',
  )
  const otherArgs = args.filter((arg) => arg !== '--latest')
  const runPlaywright = (/** @type {NodeJS.ProcessEnv} */ env) =>
    runTests({ env: { ...env, REAL_TOOLS: JSON.stringify(installedTools) }, network, rest: otherArgs })
  const testCounts = process.platform === 'linux' ? await withDesktop(runPlaywright) : await runPlaywright(process.env)
  const phases = new Map([['real tools', testCounts]])
  printLine(['', ...summary(phases), '', closingLine(phases)].join('\n'))
  return testCounts.failed > 0 ? 1 : 0
}

/** @param {{ env: NodeJS.ProcessEnv, network: Awaited<ReturnType<typeof loopbackOnly>>, rest: string[] }} options */
async function runTests({ env, network, rest }) {
  const reports = mkdtempSync(join(tmpdir(), 'tool-reports-'))
  const removeCleanup = addCleanup(() => rmSync(reports, { recursive: true, force: true }))
  const report = join(reports, 'tools.json')
  const triedToolsFile = join(reports, 'tried.jsonl')
  const config = ['--config', resolveFromRoot('test/tools/playwright.config.cjs'), '--reporter=list,json']
  const tests = [process.execPath, packageCommand('@playwright/test', 'playwright'), 'test', ...config, ...rest]
  const [command = '', ...args] = network ? [network.command, ...network.args, ...tests] : tests
  const reportEnv = { PLAYWRIGHT_JSON_OUTPUT_FILE: report, TOOLS_TRIED: triedToolsFile }
  const { code } = await run(command, args, { cwd: root, env: { ...env, ...reportEnv } })
  const testCounts = judgeTestRun(countPlaywright(readTextOrEmpty(report)), code)
  const rows = readTextOrEmpty(triedToolsFile).split('\n').filter(Boolean)
  const day = new Date().toISOString().slice(0, 10)
  if (rows.length > 0)
    writeTriedTable(
      resolveFromRoot('docs/tools.md'),
      rows.map((row) => JSON.parse(row)),
      day,
    )
  rmSync(reports, { recursive: true, force: true })
  removeCleanup()
  return testCounts
}

/** @param {string} path */
function readTextOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

await script(import.meta.url, testTools)
