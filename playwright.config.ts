import { defineConfig } from '@playwright/test'
import { isDeepRun } from './test/support/depth'

// `node scripts/test.mjs` runs these and chooses the reporters. Timeouts allow for two slow, busy cores.
export default defineConfig({
  testDir: 'test',
  // Tests tagged @deep are long, and unit tests show the same behavior. Only `npm run test:deep` runs them.
  projects: isDeepRun
    ? [
        { name: 'deep', testDir: 'test/deep/e2e' },
        { name: 'tagged', testDir: 'test/e2e', grep: /@deep/ },
      ]
    : [{ name: 'quick', testDir: 'test/e2e', grepInvert: /@deep/ }],
  outputDir: 'test-results',
  timeout: 120_000,
  expect: { timeout: 10_000 },
  // On Linux each worker has its own screen, clipboard and keychain. Elsewhere tests run one at a time.
  workers: process.platform === 'linux' ? 3 : 1,
  retries: 0,
  // Distributes tests instead of files, so that no worker idles at the end.
  fullyParallel: true,
  forbidOnly: true,
  reporter: 'list',
  // Some tests run the built command line in their process. Playwright would compile it again in each worker.
  build: { external: ['**/out/**'] },
  // Traces need a separate browser context, which Electron does not have.
  use: { trace: 'off' },
})
