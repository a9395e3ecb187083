import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useModelColour } from '../../../../../../src/renderer/features/connections/account'
import { consoleConnection } from '../../../support/account'
import { installMain, renderInApp } from '../../../support/fake-main'
import { plan } from '../../../support/views'

const oldModels = ['m1', 'm2', 'm3']

function Colors() {
  const getColour = useModelColour()
  return <output aria-label="colors">{oldModels.map(getColour).join(' ')}</output>
}

async function readColors(newModels: readonly string[]): Promise<string> {
  installMain({
    'connections.list': () => [consoleConnection],
    'plans.list': () => [
      plan({ id: 'new', createdAt: '2026-05-02T00:00:00.000Z', models: [...newModels] }),
      plan({ id: 'old', createdAt: '2026-05-01T00:00:00.000Z', models: oldModels }),
    ],
  })
  const { unmount, queries } = await renderInApp(<Colors />)
  await waitFor(() => expect(queries.getQueryData(['plans.list', {}])).toBeDefined())
  const colors = screen.getByLabelText('colors').textContent ?? ''
  unmount()
  return colors
}

it('models keep their colors when a plan with other models is added', async () => {
  const initialColors = await readColors([])
  expect(new Set(initialColors.split(' ')).size).toBe(3)
  for (let index = 0; index < 12; index += 1) expect(await readColors([`a${index}`])).toBe(initialColors)
})
