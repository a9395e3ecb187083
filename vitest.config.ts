import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const resolving = { alias: { '@shared': resolve(import.meta.dirname, 'src/shared') } }

// The usual five seconds are too few for a page with a long list on a machine that does something else as well.
const testTimeout = 20_000
const isDeep = process.env.TEST_DEPTH === 'deep'
const patience = 'test/unit/support/patience.ts'

export default defineConfig({
  test: {
    // By itself it leaves one core to its main process, which has next to nothing to do: of two cores that is half.
    maxWorkers: availableParallelism(),
    projects: [
      {
        resolve: resolving,
        test: {
          name: 'node',
          environment: 'node',
          testTimeout,
          setupFiles: [patience],
          // The files that a worker runs share the modules they load, which hold nothing of a test's; loading them anew took a third of the time.
          isolate: false,
          include: ['test/unit/{main,shared,sandbox,preload,scripts}/**/*.test.ts'],
        },
      },
      {
        resolve: resolving,
        test: {
          name: 'window',
          environment: 'happy-dom',
          testTimeout,
          setupFiles: [patience, 'test/unit/renderer/support/clean-up.ts'],
          include: ['test/unit/renderer/**/*.test.{ts,tsx}'],
        },
      },
      ...(isDeep
        ? [
            {
              resolve: resolving,
              test: {
                name: 'deep',
                environment: 'node' as const,
                testTimeout: 30 * 60_000,
                setupFiles: [patience],
                include: ['test/deep/**/*.test.ts'],
              },
            },
          ]
        : []),
    ],
  },
})
