import type { PlaygroundSetup, PromptDraft, PromptSummary, PromptVersion, PromptView } from '@shared/contract'

/** What is typed of a prompt. */
export interface PromptForm extends PlaygroundSetup {
  readonly name: string
  readonly tags: readonly string[]
  readonly text: string
}

/** The form of a new prompt. */
export const emptyForm: PromptForm = { name: '', tags: [], text: '', system: '', parameters: {} }

/** What a version of a prompt holds. */
export const bodyOf = ({ text, system, target, parameters }: PromptVersion) => ({
  text,
  system,
  parameters,
  ...(target && { target }),
})

/** The form of a prompt as it is kept. */
export function formOf({ name, tags, versions }: PromptView): PromptForm {
  const [newest] = versions
  return { ...emptyForm, name, tags, ...(newest && bodyOf(newest)) }
}

/** Sorted, so that the order in which things were set makes no difference. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Whether two forms would be kept as the same. */
export const isSameForm = (a: PromptForm, b: PromptForm): boolean => written(draftOf(a)) === written(draftOf(b))

/** What is sent to be kept. */
export function draftOf({ name, tags, text, system, target, parameters }: PromptForm, id?: string): PromptDraft {
  return {
    ...(id !== undefined && { id }),
    name: name.trim(),
    tags: [...tags],
    text,
    system,
    parameters,
    ...(target && { target }),
  }
}

/** The tags with what was typed: parts between commas, each once, at most 20 of at most 40 characters. */
export const withTags = (tags: readonly string[], typed: string): readonly string[] =>
  [...new Set([...tags, ...typed.split(',').map((tag) => tag.trim().slice(0, 40))])].filter(Boolean).slice(0, 20)

interface Headings {
  readonly text: string
  readonly system: string
  readonly target: string
  readonly parameters: string
}

/** A version as one text, so that two can be compared; parts that both leave empty are left out. */
export function asText(version: PromptVersion, other: PromptVersion, headings: Headings): string {
  const partsOf = ({ text, system, target, parameters }: PromptVersion) => ({
    text,
    system,
    target: target ? JSON.stringify(target, undefined, 2) : '',
    parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, undefined, 2),
  })
  const [mine, theirs] = [partsOf(version), partsOf(other)]
  const names = ['system', 'target', 'parameters'] as const
  const more = names.filter((name) => mine[name] !== '' || theirs[name] !== '')
  if (more.length === 0) return mine.text
  return ['text' as const, ...more].map((name) => `# ${headings[name]}\n\n${mine[name]}`).join('\n\n')
}

/** What the list can be sorted by. */
export const orders = ['newest', 'name'] as const
type Order = (typeof orders)[number]

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
