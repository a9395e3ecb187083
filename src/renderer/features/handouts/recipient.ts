/** What is wrong with a text that should be an age public key; `empty` while there is none. */
export type RecipientProblem = 'empty' | 'secret' | 'wrong'

/** Looks at the form of an age public key only; main tells whether it is one. */
export function problemOfRecipient(text: string): RecipientProblem | undefined {
  const recipient = text.trim()
  if (recipient === '') return 'empty'
  if (/age-secret-key-/i.test(recipient)) return 'secret'
  return /^age1[a-z0-9]{20,}$/.test(recipient) ? undefined : 'wrong'
}
