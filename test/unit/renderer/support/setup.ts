import { cleanup, configure } from '@testing-library/react'
import { toast } from 'sonner'
import { afterAll, afterEach } from 'vitest'
import { resetStores } from './zustand'

// Rendering can exceed the default of 1 s on a busy machine.
configure({ asyncUtilTimeout: 15_000 })

afterEach(cleanup)

// Files of a worker share modules, and so their stores and pending notifications.
afterAll(() => {
  resetStores()
  toast.dismiss()
})
