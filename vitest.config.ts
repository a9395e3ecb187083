import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const resolving = { alias: { '@shared': resolve(import.meta.dirname, 'src/shared') } }

const isDeep = process.env.TEST_DEPTH === 'deep'
// Vitest's default of 5 s is too short for pages with long lists on a busy machine.
const testTimeout = isDeep ? 30 * 60_000 : 20_000
const setup = 'test/unit/support/setup.ts'
// The default of 1 s is too short on a busy machine.
const patient = { expect: { poll: { timeout: 15_000 } }, testTimeout, hookTimeout: 60_000 }

/** A large young generation, in MB, saves a tenth of the CPU time, and more in tests with a document. */
const execArgv = ['--min-semi-space-size=32', '--max-semi-space-size=64']

// Resets stores before each test file.
const resettableStores = resolve(import.meta.dirname, 'test/unit/renderer/support/zustand.ts')

// Replaces the `electron` package, which fails to load in a fresh checkout without the downloaded program.
const electron = resolve(import.meta.dirname, 'test/unit/support/electron.ts')

/** Isolated, because a frame requested in the document of one file never arrives in that of the next file. */
const drawing = ['ui/markdown', 'features/playground'].map((folder) => `test/unit/renderer/${folder}/**/*.test.tsx`)

/** Tests with a document. Without `isolate`, the files of a worker share loaded modules. */
function windowProject(options: { name: string; isolate: boolean; include: string[]; exclude?: string[] }) {
  const alias = [
    { find: '@shared', replacement: resolving.alias['@shared'] },
    { find: /^zustand$/, replacement: resettableStores },
  ]
  const setupFiles = [setup, 'test/unit/renderer/support/setup.ts']
  return {
    resolve: { alias },
    test: { ...options, ...patient, execArgv, environment: 'happy-dom' as const, setupFiles },
  }
}

/**
 * Cache of compiled modules. Saves a seventh of a run. It also stores resolved imports, so its name depends on all
 * file names.
 */
function moduleCachePath(): string {
  const folder = resolve(import.meta.dirname, 'node_modules/.cache/vitest')
  const names = ['src', 'test'].flatMap((top) =>
    readdirSync(resolve(import.meta.dirname, top), { recursive: true, encoding: 'utf8' }),
  )
  const kept = createHash('sha256').update(names.sort().join('\n')).digest('hex').slice(0, 16)
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder))
    if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true })
  return join(folder, kept)
}

/** Deep tests that measure response times, or run the bench. They run alone. */
const measuring = ['test/deep/bench.test.ts', 'test/deep/relay-hostile-clients.test.ts']

/** Tests that only `npm run test:deep` runs. */
function deepProject(options: {
  name: string
  include: string[]
  exclude?: string[]
  maxWorkers?: number
  sequence?: { groupOrder: number }
}) {
  return {
    resolve: resolving,
    test: { ...options, ...patient, execArgv, environment: 'node' as const, setupFiles: [setup] },
  }
}

export default defineConfig({
  test: {
    // The default leaves one core to the nearly idle main process. The additional worker uses the time in which others wait for the disk.
    maxWorkers: availableParallelism() + 1,
    globalSetup: 'test/unit/support/temporary-folder.ts',
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCachePath() },
    projects: [
      {
        resolve: { alias: { ...resolving.alias, electron, 'electron-store': electron } },
        test: {
          name: 'node',
          ...patient,
          execArgv,
          environment: 'node',
          setupFiles: [setup],
          // Modules hold no state of tests. Loading them once per worker saves a third of the time.
          isolate: false,
          // Tests with a document are `.test.tsx` files.
          include: ['test/unit/**/*.test.ts'],
        },
      },
      windowProject({
        name: 'window',
        isolate: false,
        include: ['test/unit/renderer/**/*.test.tsx'],
        exclude: drawing,
      }),
      windowProject({ name: 'drawing', isolate: true, include: drawing }),
      ...(isDeep
        ? [
            deepProject({ name: 'deep', include: ['test/deep/**/*.test.ts'], exclude: measuring }),
            // Runs after all others.
            deepProject({ name: 'measuring', include: measuring, maxWorkers: 1, sequence: { groupOrder: 1 } }),
          ]
        : []),
    ],
  },
})
