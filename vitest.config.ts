import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const resolving = { alias: { '@shared': resolve(import.meta.dirname, 'src/shared') } }

const isDeep = process.env.TEST_DEPTH === 'deep'
// The usual five seconds are too few for a page with a long list on a machine that does something else as well.
const testTimeout = isDeep ? 30 * 60_000 : 20_000
const setup = 'test/unit/support/setup.ts'

// Stores that start anew with each file of tests; their parts (`zustand/react`) are the library's own.
const resettableStores = resolve(import.meta.dirname, 'test/unit/renderer/support/zustand.ts')

export default defineConfig({
  test: {
    // By itself it leaves one core to its main process, which has next to nothing to do: of two cores that is half.
    maxWorkers: availableParallelism(),
    globalSetup: 'test/unit/support/temporary-folder.ts',
    projects: [
      {
        resolve: resolving,
        test: {
          name: 'node',
          environment: 'node',
          testTimeout,
          setupFiles: [setup],
          // The files that a worker runs share the modules they load, which hold nothing of a test's; loading them anew took a third of the time.
          isolate: false,
          // What needs a document is a `.test.tsx` of the window.
          include: ['test/unit/**/*.test.ts'],
        },
      },
      {
        resolve: {
          alias: [
            { find: '@shared', replacement: resolving.alias['@shared'] },
            { find: /^zustand$/, replacement: resettableStores },
          ],
        },
        test: {
          name: 'window',
          environment: 'happy-dom',
          testTimeout,
          setupFiles: [setup, 'test/unit/renderer/support/setup.ts'],
          isolate: false,
          include: ['test/unit/renderer/**/*.test.tsx'],
        },
      },
      ...(isDeep
        ? [
            {
              resolve: resolving,
              test: {
                name: 'deep',
                environment: 'node' as const,
                testTimeout,
                setupFiles: [setup],
                include: ['test/deep/**/*.test.ts'],
              },
            },
          ]
        : []),
    ],
  },
})
