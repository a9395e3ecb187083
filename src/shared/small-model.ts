/** Typical names of small models. */
const smallModelPattern = /(?:^|[^a-z])(?:small|mini|nano|lite|light|flash|haiku|fast|tiny)(?:$|[^a-z])/i

/** Finds the plan's small model by name, among those with remaining quota. Undefined if no name matches. */
export const findSmallModel = (
  models: readonly string[],
  modelCode: string,
  exhausted: ReadonlySet<string> = new Set(),
): string | undefined =>
  models.find((code) => code !== modelCode && !exhausted.has(code) && smallModelPattern.test(code))
