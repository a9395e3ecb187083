import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'
import { seed } from '../../support/depth'

// Every property uses the run's seed, so that TEST_SEED reproduces a failure.
configureGlobal({ seed })

const { waitFor } = vi

// The default of one second is too short on a busy machine. A missing event still fails.
const waitWithLongTimeout: typeof waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: 15_000, ...options })

// Test files of one worker share `vi`, so replace its method once.
if (waitFor.name !== waitWithLongTimeout.name) vi.waitFor = waitWithLongTimeout
