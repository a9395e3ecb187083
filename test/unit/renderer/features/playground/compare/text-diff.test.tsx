import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { TextDiff } from '../../../../../../src/renderer/features/playground/compare/text-diff'
import { installMain, renderInApp } from '../../../support/fake-main'

it('numbers the lines of both sides and folds unchanged regions', async () => {
  const before = ['1', '2', '3', '4', '5', '6', 'x', '8'].join('\n')
  installMain({})
  await renderInApp(<TextDiff before={before} after={before.replace('x', 'y')} names={['A', 'B']} />)
  const rows = screen.getAllByRole('row').map(({ textContent }) => textContent)
  expect(rows).toEqual(['AB', '3 unchanged lines', '4444', '5555', '6666', '7−Removedx7+Addedy', '8888'])
})
