// Separate from quit-guard.ts, so that tests without Electron can check the order of the buttons.

/** Answers to the question whether to quit while tools need the relay. */
export type QuitAnswer = 'background' | 'pointBack' | 'quit' | 'cancel'

/** Answers in the order of the dialog's buttons. */
export const quitAnswers: readonly QuitAnswer[] = ['background', 'pointBack', 'quit', 'cancel']
