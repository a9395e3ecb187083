import { defineConfig } from '@playwright/test'
import { isDeep } from './test/support/depth'

// `node scripts/test.mjs` runs these and chooses the reporters. Time limits allow for two slow cores that do other work as well.
export default defineConfig({
  testDir: 'test',
  // A test of a capability that is tagged takes its time, and what it shows is shown by unit tests too: it belongs to the long form.
  projects: isDeep
    ? [
        { name: 'deep', testDir: 'test/deep/e2e' },
        { name: 'tagged', testDir: 'test/e2e', grep: /@deep/ },
      ]
    : [{ name: 'quick', testDir: 'test/e2e', grepInvert: /@deep/ }],
  outputDir: 'test-results',
  timeout: 120_000,
  expect: { timeout: 10_000 },
  // Each worker has a screen, a clipboard and a keychain of its own; where that cannot be had, they take turns.
  workers: process.platform === 'linux' ? 3 : 1,
  retries: 0,
  // Each test goes to the worker that is free, so that none waits for the other's last file.
  fullyParallel: true,
  forbidOnly: true,
  reporter: 'list',
  // The command line as built, which tests run in their own process: Playwright would compile all of it again in each worker.
  build: { external: ['**/out/**'] },
  // Playwright's trace wants a browser context of its own, which Electron has not.
  use: { trace: 'off' },
})
