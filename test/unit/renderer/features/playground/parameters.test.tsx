import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ParametersFields } from '../../../../../src/renderer/features/playground/parameters-fields'
import { installMain, renderInApp } from '../../support/fake-main'

it.each([
  ['messages', undefined, [true, false]],
  ['messages', 40, [true, false]],
  ['chat-completions', undefined, [false, false]],
  ['chat-completions', 40, [true, true]],
] as const)('with %s, Top K of %s is offered and refused by name: %j', async (standard, topK, visibility) => {
  installMain({})
  await renderInApp(<ParametersFields value={{ topK }} standard={standard} onChange={() => undefined} />)
  const field = screen.queryByLabelText('Top K')
  const refusal = screen.queryByText('Not supported by this API format. Clear it.')
  expect([field !== null, refusal !== null]).toEqual(visibility)
})
