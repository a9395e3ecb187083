import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const tokens = readFileSync(join(import.meta.dirname, '../../../../../../src/renderer/ui/tokens.css'), 'utf8')

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
  const seriesColors = [...tokens.matchAll(/--series-\d: light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    (match) => match[group] ?? '',
  )
  expect(seriesColors).toHaveLength(6)
  const lightnesses = seriesColors.map(getLightness).sort((a, b) => a - b)
  const gaps = lightnesses.slice(1).map((value, index) => value - (lightnesses[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(4)
})
