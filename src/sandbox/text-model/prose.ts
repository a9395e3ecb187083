/**
 * Sentences for a text about anything: `{topic}` is put in, and other names in braces are drawn from `words`. None of them says what
 * would be wrong of some topic, or depends on the topic being one or many.
 */
export interface Prose {
  readonly usualTopic: string
  readonly openings: readonly string[]
  /** Begin a paragraph about an aspect, which `{aspect}` names. */
  readonly leads: readonly string[]
  readonly sentences: readonly string[]
  readonly closings: readonly string[]
  readonly aspects: readonly string[]
  readonly words: Readonly<Record<string, readonly string[]>>
}
