/** The sizes that the window can be shown in, in percent. */
export const zoomSteps = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200] as const

export const usualZoom = 100

/** The size after one step, or the usual one. */
export function nextZoom(percent: number, step: 'in' | 'out' | 'reset'): number {
  if (step === 'reset') return usualZoom
  if (step === 'in') return zoomSteps.find((one) => one > percent) ?? zoomSteps[zoomSteps.length - 1] ?? usualZoom
  return zoomSteps.findLast((one) => one < percent) ?? zoomSteps[0]
}
