import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..', '..')

/** Files and packages that a file imports directly, without type imports. Packages are listed by name. */
function listImportedFiles(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const statements = text.matchAll(/^(?:import (?!type\b)(?:[^'"]*?from )?|export (?!type\b)[^'"]*?from )'([^']+)'$/gm)
  return [...statements].map(([, specifier = '']) => settingsFile(specifier, file))
}

function settingsFile(specifier: string, importer: string): string {
  const path = specifier.startsWith('@shared/')
    ? join('src/shared', specifier.slice('@shared/'.length))
    : specifier.startsWith('.')
      ? join(dirname(importer), specifier)
      : undefined
  if (path === undefined) return specifier
  const endings = ['.ts', '.tsx', '/index.ts', '/index.tsx']
  return path + (endings.find((ending) => existsSync(join(root, path + ending))) ?? '')
}

/** All modules that are loaded before the first line of an entry file runs. */
function listModulesAtStart(entry: string): Set<string> {
  const loadedFiles = new Set([entry])
  for (const item of loadedFiles)
    if (item.startsWith('src/')) for (const importedFile of listImportedFiles(item)) loadedFiles.add(importedFile)
  return loadedFiles
}

test('commands that coding tools call often load no library and no feature', () => {
  const packages = [...listModulesAtStart('src/main/cli.ts')].filter((item) => !item.startsWith('src/'))
  expect(packages.filter((item) => !item.startsWith('node:'))).toEqual([])
  const files = [...listModulesAtStart('src/main/cli.ts')].filter((item) => item.startsWith('src/'))
  expect(files.map((file) => file.replace(/^src\//, '')).sort()).toEqual([
    'main/cli.ts',
    'main/cli/quick-answer.ts',
    'main/cli/statusline.ts',
    'main/core/data-dir.ts',
    'main/core/launcher/command-arguments.ts',
    'main/core/vault/dbus-messages.ts',
    'main/core/vault/keychain.ts',
    'main/core/vault/secret-service.ts',
    'main/usage/quota/status-cache.ts',
    'shared/app-error.ts',
    'shared/hidden-characters.ts',
    'shared/json.ts',
  ])
  const line = [...listModulesAtStart('src/main/cli/statusline.ts')].filter((item) => !item.startsWith('src/'))
  expect(line.filter((item) => !item.startsWith('node:'))).toEqual([])
})

test('the command line loads targets, editors and their libraries only when a command needs them', () => {
  const loadedFiles = listModulesAtStart('src/main/cli/run-command.ts')
  expect(loadedFiles).toContain('src/main/compose/compose.ts')
  expect(loadedFiles).toContain('commander')
  const libraries = ['@modelcontextprotocol/server', 'undici', 'yaml', 'jsonc-parser', 'toml-eslint-parser', 'diff']
  const expectedFiles = ['src/main/tools/targets/index.ts', 'src/main/tools/editors/index.ts', ...libraries]
  expect(expectedFiles.filter((item) => loadedFiles.has(item))).toEqual([])
})

test('the PostgreSQL driver is loaded only where a team is used', () => {
  const entries = ['src/main/cli/run-command.ts', 'src/main/compose/tools.ts', 'src/main/app/desktop-app.ts']
  for (const entry of entries) {
    const loadedFiles = listModulesAtStart(entry)
    expect(['pg', 'src/main/team/team.ts'].filter((item) => loadedFiles.has(item))).toEqual([])
  }
  expect(listModulesAtStart('src/main/team/team.ts')).toContain('pg')
})

test('the window opens before its features are loaded', () => {
  const loadedFiles = listModulesAtStart('src/main/index.ts')
  expect(loadedFiles).toContain('src/main/app/window.ts')
  const deferredFiles = ['src/main/app/desktop-app.ts', 'src/main/compose/compose.ts', 'src/main/compose/tools.ts']
  expect(deferredFiles.filter((item) => loadedFiles.has(item))).toEqual([])
  // A library that listens for SIGTERM before Electron is ready loses the signal to Electron (when-exit, below electron-store).
  expect([...loadedFiles].filter((item) => !/^(src\/|node:|electron$)/.test(item))).toEqual([])
})

test('modules that a window start does not need are loaded with their first call', () => {
  const entries = ['src/main/app/desktop-app.ts', 'src/main/compose/tools.ts']
  const loadedFiles = new Set(entries.flatMap((entry) => [...listModulesAtStart(entry)]))
  expect(loadedFiles).toContain('src/main/app/handlers.ts')
  const handlers = ['mcp', 'playground', 'resource'].map((name) => `src/main/app/${name}-handlers.ts`)
  const optionalFiles = [
    'src/main/compose/playground.ts',
    'src/main/platform/resources/resources.ts',
    'commander',
    'papaparse',
    'undici',
  ]
  expect([...handlers, ...optionalFiles].filter((item) => loadedFiles.has(item))).toEqual([])
})

test('the window imports types from the contract, but no schema, which would cost 7 MB and a tenth of its start', () => {
  const files = readdirSync(join(root, 'src/renderer'), { recursive: true, encoding: 'utf8' })
  const rendererFiles = files.filter((file) => /\.tsx?$/.test(file)).map((file) => join('src/renderer', file))
  expect(rendererFiles.length).toBeGreaterThan(200)
  expect(rendererFiles.filter((file) => listModulesAtStart(file).has('zod'))).toEqual([])
})

test('the relay of the command line does not load the whole contract', () => {
  for (const entry of ['src/main/cli/run-command.ts', 'src/main/cli/relay-run.ts', 'src/main/relay-entry.ts']) {
    const loadedFiles = listModulesAtStart(entry)
    const unneededFiles = ['index', 'playground', 'usage'].map((name) => `src/shared/contract/${name}.ts`)
    expect(unneededFiles.filter((item) => loadedFiles.has(item))).toEqual([])
  }
})

test('the features of the coding tools load them', () => {
  const loadedFiles = listModulesAtStart('src/main/compose/tools.ts')
  for (const item of ['src/main/tools/targets/index.ts', 'src/main/tools/editors/index.ts', 'yaml', 'diff'])
    expect(loadedFiles).toContain(item)
})

test('OpenTelemetry is loaded only once metrics are switched on', () => {
  for (const entry of [
    'src/main/index.ts',
    'src/main/compose/compose.ts',
    'src/main/relay-entry.ts',
    'src/main/cli/relay-run.ts',
  ])
    expect([...listModulesAtStart(entry)].filter((item) => /opentelemetry|metrics\/telemetry/.test(item))).toEqual([])
  expect(listModulesAtStart('src/main/relay/metrics/telemetry.ts')).toContain('@opentelemetry/sdk-metrics')
})
