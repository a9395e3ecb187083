/** Matches a variable of a prompt: `{{name}}`, with optional blanks around the name. */
const variablePattern = /\{\{([^{}]{1,200})\}\}/g

export const maxVariableNameLength = 60

/** Unique variable names in order of appearance. */
export const listVariables = (...texts: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(
    texts.flatMap((text = '') =>
      [...text.matchAll(variablePattern)]
        .map(([, name = '']) => name.trim())
        .filter((name) => name !== '' && name.length <= maxVariableNameLength),
    ),
  ),
]

/** Replaces variables in a text by their values. Unknown variables stay in the text as written. */
export const fillVariables = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(variablePattern, (placeholder, name: string) =>
    Object.hasOwn(values, name.trim()) ? (values[name.trim()] ?? placeholder) : placeholder,
  )
