// Apart from quit-guard.ts because tests outside of Electron read the order of the buttons.

/** What to do about tools that would fail. */
export type QuitAnswer = 'background' | 'pointBack' | 'quit' | 'cancel'

/** In the order of the buttons. */
export const quitAnswers: readonly QuitAnswer[] = ['background', 'pointBack', 'quit', 'cancel']
