import type { PromptSummary } from '@shared/contract'

/** What the list can be sorted by. */
export const orders = ['newest', 'name'] as const
export type Order = (typeof orders)[number]

/** How the library is looked at. */
export interface Sought {
  readonly text: string
  /** A prompt has all of them. */
  readonly tags: readonly string[]
  readonly order: Order
}

/** Every tag that a prompt has, in the order of the alphabet. */
export const tagsOf = (prompts: readonly PromptSummary[], locale: string): readonly string[] =>
  [...new Set(prompts.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b, locale))

/** The prompts that are sought: the words are in name, tags or the beginning of the text. Tags that no prompt has any more do not count. */
export function listPrompts(
  prompts: readonly PromptSummary[],
  sought: Sought,
  locale: string,
): readonly PromptSummary[] {
  const words = sought.text.toLocaleLowerCase(locale).split(/\s+/).filter(Boolean)
  const known = new Set(prompts.flatMap(({ tags }) => tags))
  const wanted = sought.tags.filter((tag) => known.has(tag))
  const found = prompts.filter(({ name, tags, preview }) => {
    const all = [name, ...tags, preview].join('\n').toLocaleLowerCase(locale)
    return wanted.every((tag) => tags.includes(tag)) && words.every((word) => all.includes(word))
  })
  return sought.order === 'name'
    ? found.toSorted((a, b) => a.name.localeCompare(b.name, locale))
    : found.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
}
