import type { FailureCodeTexts } from './failure-codes'

/** Words for the failures of the playground. */
export const playgroundFailures: Pick<FailureCodeTexts, 'playground'> = {
  playground: {
    notFound: {
      title: 'This is not in the playground any more',
      explanation: 'It was removed, here or in another window of the app.',
      remedy: 'Go back to the list and choose another one.',
    },
    unavailable: {
      title: 'The playground’s file cannot be used',
      explanation:
        'The file that holds conversations, comparisons and prompts could not be opened. Nothing in it was changed or lost by that.',
      remedy: 'Try again. If it stays, make sure that the disk is not full and that no other program holds the file.',
    },
    noTarget: {
      title: 'There is nobody to ask',
      explanation: 'The plan, connection or model that was chosen is not there any more, or has no key.',
      remedy: 'Choose another model.',
    },
    unreadable: {
      title: 'The file is not one that the playground wrote',
      explanation: 'Its content is not an export of conversations or prompts, or only a part of one.',
      remedy: 'Choose a file that was exported as JSON.',
    },
  },
}
