import { cleanup, configure } from '@testing-library/react'
import { toast } from 'sonner'
import { afterAll, afterEach } from 'vitest'
import { resetStores } from './zustand'

// A busy machine takes longer than the usual second to draw a page.
configure({ asyncUtilTimeout: 15_000 })

afterEach(cleanup)

// The files that a worker runs share their modules, and so the stores in them, and the notifications that are still to be shown.
afterAll(() => {
  resetStores()
  toast.dismiss()
})
