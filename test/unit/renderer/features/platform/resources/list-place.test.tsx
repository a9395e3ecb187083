import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useLocation } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { useListPosition } from '../../../../../../src/renderer/features/platform/resources/resource-list'

const wrapper = ({ children }: { readonly children: ReactNode }) => (
  <MemoryRouter initialEntries={['/models/list?size=10']}>{children}</MemoryRouter>
)

afterEach(() => {
  location.hash = ''
})

test.each([
  ['#/models/list', '?size=10&find=aurora'],
  ['#/models/keys', '?size=10'],
])('with the window at %s, a search changes the address to %s', (hash, search) => {
  const { result } = renderHook(() => ({ ...useListPosition('models'), at: useLocation() }), { wrapper })
  location.hash = hash
  act(() => result.current.change({ find: 'aurora' }))
  expect(result.current.at).toMatchObject({ pathname: '/models/list', search })
})
