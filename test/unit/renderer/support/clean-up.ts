import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// A busy machine takes longer than the usual second to draw a page.
configure({ asyncUtilTimeout: 5_000 })

afterEach(cleanup)
