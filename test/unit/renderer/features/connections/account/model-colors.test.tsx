import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

const theme = readFileSync(join(import.meta.dirname, '../../../../../../src/renderer/ui/theme.css'), 'utf8')

/** Returns the lightness (CIE L*) of a color such as `#3f47b5`. */
function getLightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((offset) => {
    const channel = Number.parseInt(hex.slice(offset, offset + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 116 * Math.cbrt(0.2126 * red + 0.7152 * green + 0.0722 * blue) - 16
}

it.each([
  ['light', 1],
  ['dark', 2],
])('has hues that differ in grayscale as well, %s', (_, group) => {
  const seriesColors = [...theme.matchAll(/--color-series-\d: light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    (match) => match[group] ?? '',
  )
  expect(seriesColors).toHaveLength(6)
  const lightnesses = seriesColors.map(getLightness).sort((a, b) => a - b)
  const gaps = lightnesses.slice(1).map((value, index) => value - (lightnesses[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(4)
})
