import type { ReactNode } from 'react'
import { Toaster } from '../../../../src/renderer/main'

/** The page, with the notifications of the window. */
export const withToasts = (page: ReactNode) => (
  <>
    {page}
    <Toaster />
  </>
)
