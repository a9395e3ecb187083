/** Which places are ticked, and where a range begins. */
export interface Ticked {
  readonly places: ReadonlySet<number>
  /** The index that was ticked last. */
  readonly last: number | undefined
}

export const noneTicked: Ticked = { places: new Set(), last: undefined }

/** The ticks after one of the shown rows was pressed; a range takes on what that row becomes. `placeAt` gives the place of a shown row. */
export function tickedWith(
  before: Ticked,
  pressed: { readonly index: number; readonly isRange: boolean },
  placeAt: (index: number) => number | undefined,
): Ticked {
  const { index, isRange } = pressed
  const place = placeAt(index)
  if (place === undefined) return before
  const isOn = !before.places.has(place)
  const from = isRange && before.last !== undefined ? before.last : index
  const places = new Set(before.places)
  for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
    const one = placeAt(at)
    if (one === undefined) continue
    if (isOn) places.add(one)
    else places.delete(one)
  }
  return { places, last: index }
}
