/** Words for the small model of a family. */
const smallNames = /(?:^|[^a-z])(?:small|mini|nano|lite|light|flash|haiku|fast|tiny)(?:$|[^a-z])/i

/** The plan's model for small jobs, by its name; undefined when none is named like one. */
export const findSmallModel = (models: readonly string[], modelCode: string): string | undefined =>
  models.find((code) => code !== modelCode && smallNames.test(code))
