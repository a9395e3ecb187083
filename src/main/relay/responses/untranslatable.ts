/** A request that cannot be said in chat-completions; the message is for the person at the tool. */
export class Untranslatable extends Error {
  override readonly name = 'Untranslatable'
}
