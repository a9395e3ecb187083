import { test } from '../../support/cli-desk'
import { killBatches } from '../../support/tool-kills'

test('a batch that is killed at any of many moments is complete or undone after the next command', async ({
  harness,
}) => {
  test.setTimeout(10 * 60_000)
  await killBatches(harness, 60)
})
