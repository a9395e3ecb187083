/** Which answer an address gives. */
export type AnswerKind = 'chat' | 'completion' | 'messages' | 'other'

const endings: readonly (readonly [RegExp, AnswerKind])[] = [
  [/\/chat\/completions$/, 'chat'],
  [/\/completions$/, 'completion'],
  [/\/messages$/, 'messages'],
]

/** What is asked at this address, by its path; `other` is shown as it comes. */
export function answerKindOf(address: string): AnswerKind {
  const path = /^[^?#]*/.exec(address)?.[0].replace(/\/+$/, '') ?? ''
  return endings.find(([ending]) => ending.test(path))?.[1] ?? 'other'
}
