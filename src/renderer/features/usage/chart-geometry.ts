/** Where the bars of a chart stand, in px. */
export interface Geometry {
  readonly width: number
  readonly count: number
}

/** What the value axis takes at the left, and what is left free at the right. */
export const axisWidth = 46
export const rightGap = 4

const bandOf = ({ width, count }: Geometry): number => Math.max(0, width - axisWidth - rightGap) / Math.max(1, count)

/** The middle of a bar, from the chart's left edge. */
export const middleOf = (index: number, geometry: Geometry): number => axisWidth + (index + 0.5) * bandOf(geometry)

/** The stretch of a bar with the space around it. */
export const stretchOf = (index: number, geometry: Geometry): { readonly left: number; readonly width: number } => ({
  left: axisWidth + index * bandOf(geometry),
  width: bandOf(geometry),
})

/** The bar beneath a place, or nothing beside the bars. */
export function barAt(x: number, geometry: Geometry): number | undefined {
  const index = Math.floor((x - axisWidth) / bandOf(geometry))
  return index >= 0 && index < geometry.count ? index : undefined
}

/** Even steps from nothing to just above the highest value: four or five of them, round, and whole. */
export function valueTicks(highest: number): readonly number[] {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, highest / 4)))
  const step = [1, 2, 2.5, 5, 10].map((of) => of * size).find((of) => of % 1 === 0 && of * 4 >= highest) ?? size
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, index) => index * step)
}

/** So many labels that none touches the next, at even distances. */
export function labelled(geometry: Geometry, labelWidth: number): readonly number[] {
  const every = Math.max(1, Math.ceil(labelWidth / Math.max(1, bandOf(geometry))))
  return Array.from({ length: Math.ceil(geometry.count / every) }, (_, index) => index * every)
}
