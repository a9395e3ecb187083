const mark = /\{\{([^{}]{1,200})\}\}/g

/** The `{{names}}` in texts, each once, in the order in which they come. */
export const variablesIn = (...texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(mark)].flatMap(([, name = '']) => name.trim() || []))),
]
