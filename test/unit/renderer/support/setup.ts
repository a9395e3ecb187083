import { cleanup, configure } from '@testing-library/react'
import { toast } from 'sonner'
import { afterAll, afterEach } from 'vitest'
import { resetStores } from './zustand'

// Rendering can exceed the default of 1 s on a busy machine.
configure({ asyncUtilTimeout: 15_000 })

afterEach(cleanup)

// Test files of one worker share modules, so reset the stores and notifications.
afterAll(() => {
  resetStores()
  toast.dismiss()
})
