import { afterEach, beforeEach, vi } from 'vitest'

/** Gives every element a size, since virtual lists render nothing without one. */
export function mockElementSize(height: number): void {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(height)
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(1_000)
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(height)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
}
