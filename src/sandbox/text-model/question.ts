import type { Language } from './language'

/** A turn of a conversation; of the roles, `user` is what the model remembers facts from. */
export interface Turn {
  readonly role: string
  readonly text: string
}

/** What the text model is asked: by whom it is called, the user's last words, and the turns before them, oldest first. */
export interface Question {
  readonly modelCode: string
  readonly prompt: string
  readonly history?: readonly Turn[]
}

/** A question as the rules see it. */
export interface ReadQuestion extends Required<Question> {
  readonly language: Language
}

/** One thing the text model can do; where it has no answer after all, the next rule is tried. */
export interface Rule {
  readonly pattern: RegExp
  readonly answer: (found: RegExpExecArray, question: ReadQuestion) => string | undefined
}
