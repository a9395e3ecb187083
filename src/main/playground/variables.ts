import { AppError } from '@shared/failure'
import { variablesIn } from './store/variables'

/** As `variablesIn` finds them. */
const mark = /\{\{([^{}]{1,200})\}\}/g

/** A text with the values in the places of their `{{names}}`; a name without a value stays. */
export function filled(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(mark, (written, name: string) => values.get(name.trim()) ?? written)
}

/** Refuses texts with names that nothing stands for, before anything is sent; where there are no variables at all, braces are ordinary text. */
export function requireKnown(texts: readonly string[], variables: readonly string[]): void {
  const unknown = variables.length === 0 ? undefined : variablesIn(...texts).find((name) => !variables.includes(name))
  if (unknown === undefined) return
  const message = `{{${unknown}}} is no variable of this comparison: there are ${variables.join(', ')}. Add it, or write it differently.`
  throw new AppError('input.invalid', message, { field: 'variables' })
}
