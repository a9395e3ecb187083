import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'
import { seed } from '../../support/depth'

// Every property draws its values from the run's seed, so that TEST_SEED repeats a failure.
configureGlobal({ seed })

const { waitFor } = vi

// The usual second is too short on a machine that does something else as well; what never comes fails all the same.
const waitPatiently: typeof waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: 15_000, ...options })

// The files that a worker runs share this object.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently
