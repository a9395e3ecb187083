/**
 * The same function of a text, which knows its last two answers (a text before and after) while the memory is not wanted
 * for something else: planning one write asks about them many times, and megabytes take long to take apart.
 */
export function rememberingLast<Answer>(answer: (text: string) => Answer): (text: string) => Answer {
  let known: readonly WeakRef<{ readonly text: string; readonly answer: Answer }>[] = []
  return (text) => {
    const found = known.map((each) => each.deref()).find((each) => each?.text === text)
    if (found !== undefined) return found.answer
    const made = { text, answer: answer(text) }
    known = [...known.slice(-1), new WeakRef(made)]
    return made.answer
  }
}

/** The same function of an object, which is asked once about each. */
export function rememberingEach<Subject extends object, Answer>(
  answer: (subject: Subject) => Answer,
): (subject: Subject) => Answer {
  const known = new WeakMap<Subject, { readonly answer: Answer }>()
  return (subject) => {
    const found = known.get(subject) ?? { answer: answer(subject) }
    known.set(subject, found)
    return found.answer
  }
}
