// Separate from quit-guard.ts, so that tests without Electron can check the order of the buttons.

/** Choices for tools that would fail. */
export type QuitAnswer = 'background' | 'pointBack' | 'quit' | 'cancel'

/** In the order of the buttons. */
export const quitAnswers: readonly QuitAnswer[] = ['background', 'pointBack', 'quit', 'cancel']
