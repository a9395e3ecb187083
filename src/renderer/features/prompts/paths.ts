import { promptsPath } from '../playground/paths'

/** Stands in an address for a prompt that is not kept yet. */
export const newPrompt = 'new'

/** A prompt, or a new one. */
export const promptPath = (id: string): string => `${promptsPath}/${encodeURIComponent(id)}`
