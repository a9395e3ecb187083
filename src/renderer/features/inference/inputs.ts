/** How many inputs one request has at most. */
export const mostInputs = 50

const separator = '\u001e'

/** The inputs that a draft's text holds; always one at least. */
export const inputsOf = (draft: string): readonly string[] => draft.split(separator).slice(0, mostInputs)

/** Inputs as the text of a draft. */
export const draftOfInputs = (inputs: readonly string[]): string =>
  inputs.map((input) => input.replaceAll(separator, '')).join(separator)

/** The inputs with one of them changed. */
export const withInput = (inputs: readonly string[], at: number, text: string): readonly string[] =>
  inputs.map((input, index) => (index === at ? text : input))

/** The inputs without one of them. */
export const withoutInput = (inputs: readonly string[], at: number): readonly string[] =>
  inputs.length === 1 ? [''] : inputs.filter((_, index) => index !== at)

/** The inputs with a pasted text of several lines in place of one: an input for each line. */
export function withLines(inputs: readonly string[], at: number, text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return inputs.toSpliced(at, 1, ...lines.filter((line) => line !== '')).slice(0, mostInputs)
}

/** What is sent: inputs that are not empty. */
export const filled = (inputs: readonly string[]): readonly string[] => inputs.filter((input) => input.trim() !== '')
