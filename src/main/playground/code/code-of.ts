import { type CodeRequest, partsOf } from './code-parts'
import { curl } from './curl'
import { python } from './python'
import { typescript } from './typescript'

const languages = { curl, python, typescript } as const

/** What a request can be shown as. */
export type CodeLanguage = keyof typeof languages

/** The request as a program that makes it and prints the answer; the key is read from the variable `PLAN_KEY` of the environment, images from files. */
export function codeOf(request: CodeRequest, language: CodeLanguage): string {
  return languages[language](partsOf(request))
}
