import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const resolving = { alias: { '@shared': resolve(import.meta.dirname, 'src/shared') } }

const isDeep = process.env.TEST_DEPTH === 'deep'
// The usual five seconds are too few for a page with a long list on a machine that does something else as well.
const testTimeout = isDeep ? 30 * 60_000 : 20_000
const setup = 'test/unit/support/setup.ts'
// The usual second is too short on a machine that does something else as well; what never comes fails all the same.
const patient = { expect: { poll: { timeout: 15_000 } }, testTimeout, hookTimeout: 60_000 }

// Stores that start anew with each file of tests; their parts (`zustand/react`) are the library's own.
const resettableStores = resolve(import.meta.dirname, 'test/unit/renderer/support/zustand.ts')

// What is in the packages wants the program itself, which a fresh checkout has only once the app was started or tested as a whole.
const electron = resolve(import.meta.dirname, 'test/unit/support/electron.ts')

/** What draws Markdown waits for frames, and a frame that was asked for in one file's document never comes in the next one's. */
const drawing = ['ui/markdown', 'features/playground'].map((folder) => `test/unit/renderer/${folder}/**/*.test.tsx`)

/** Tests with a document; where they are not isolated, the files that a worker runs share the modules they load. */
function windowProject(options: { name: string; isolate: boolean; include: string[]; exclude?: string[] }) {
  const alias = [
    { find: '@shared', replacement: resolving.alias['@shared'] },
    { find: /^zustand$/, replacement: resettableStores },
  ]
  const setupFiles = [setup, 'test/unit/renderer/support/setup.ts']
  return { resolve: { alias }, test: { ...options, ...patient, environment: 'happy-dom' as const, setupFiles } }
}

/**
 * Where what was compiled is kept for the next run, which takes a seventh less. Where an import leads is kept as well, so that a file that
 * came, went or was renamed begins anew.
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

/** Long tests that judge how soon something is answered, which other tests beside them would delay. */
const measuring = ['test/deep/relay-hostile-clients.test.ts']

/** Tests of the long form only. */
function deepProject(options: {
  name: string
  include: string[]
  exclude?: string[]
  maxWorkers?: number
  sequence?: { groupOrder: number }
}) {
  return {
    resolve: resolving,
    test: { ...options, ...patient, environment: 'node' as const, setupFiles: [setup] },
  }
}

export default defineConfig({
  test: {
    // By itself it leaves one core to its main process, which has next to nothing to do: of two cores that is half. One worker more
    // has something to do while others wait for the disk.
    maxWorkers: availableParallelism() + 1,
    globalSetup: 'test/unit/support/temporary-folder.ts',
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCachePath() },
    projects: [
      {
        resolve: { alias: { ...resolving.alias, electron, 'electron-store': electron } },
        test: {
          name: 'node',
          ...patient,
          environment: 'node',
          setupFiles: [setup],
          // The files that a worker runs share the modules they load, which hold nothing of a test's; loading them anew took a third of the time.
          isolate: false,
          // What needs a document is a `.test.tsx` of the window.
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
            // Once all others are over.
            deepProject({ name: 'measuring', include: measuring, maxWorkers: 1, sequence: { groupOrder: 1 } }),
          ]
        : []),
    ],
  },
})
