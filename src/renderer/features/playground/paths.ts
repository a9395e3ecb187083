/** A conversation, or the place where a new one begins. */
export const chatPath = (conversationId?: string): string =>
  conversationId === undefined ? '/playground' : `/playground/chat/${encodeURIComponent(conversationId)}`

/** The name of the parameter that says which message is to be seen. */
export const messageParameter = 'message'

/** A message in its conversation, whichever branch it is in. */
export const messagePath = (conversationId: string, messageId: string): string =>
  `${chatPath(conversationId)}?${messageParameter}=${encodeURIComponent(messageId)}`

/** Models and prompts side by side. */
export const comparePath = '/playground/compare'

/** The prompts library. */
export const promptsPath = '/playground/prompts'

/** Text completion. */
export const completionPath = '/playground/completion'

/** Embeddings. */
export const embeddingsPath = '/playground/embeddings'
