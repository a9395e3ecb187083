/** Typical names of small models. */
const smallNames = /(?:^|[^a-z])(?:small|mini|nano|lite|light|flash|haiku|fast|tiny)(?:$|[^a-z])/i

/** Finds the plan's small model by name. Undefined if no name matches. */
export const findSmallModel = (models: readonly string[], modelCode: string): string | undefined =>
  models.find((code) => code !== modelCode && smallNames.test(code))
