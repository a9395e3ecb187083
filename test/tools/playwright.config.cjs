/**
 * `node scripts/test-tools.mjs` installs the tools and runs these in a private desktop. The tools need seconds to start.
 * @type {import('@playwright/test').PlaywrightTestConfig}
 */
module.exports = {
  testDir: __dirname,
  outputDir: '../../test-results/tools',
  timeout: 240_000,
  workers: 1,
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
  use: { trace: 'off' },
}
