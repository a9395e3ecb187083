import type { FailureCodeTexts } from './failure-codes'

/** Words for the failures of profiles and of the history. */
export const profileFailures: Pick<FailureCodeTexts, 'profile' | 'history'> = {
  profile: {
    notFound: {
      title: 'The profile is not there',
      explanation: 'It was removed in the meantime, or what was read of a file is no longer remembered.',
      remedy: 'Choose another profile, or choose the file again.',
    },
    nameTaken: {
      title: 'A profile with this name exists',
      explanation: 'Two profiles cannot share a name, whatever its capitals, because they are told apart by it.',
      remedy: 'Choose another name.',
    },
    unreadable: {
      title: 'The file is no profile that can be read',
      explanation:
        'A profile’s file is made by “Export for a teammate”. This one has something wrong {{where}}; the details below say what.',
      remedy: 'Ask for the file again, or choose another.',
    },
    incomplete: {
      title: 'The profile lacks something',
      explanation: 'No tool is set up in it, or a plan or key that it uses is no longer on this computer.',
      remedy: 'Choose plan and key anew in the profile.',
    },
  },
  history: {
    notFound: {
      title: 'This write is not in the history any more',
      explanation: 'What is needed to go back to before it is no longer kept.',
      remedy: 'Choose another one in the history.',
    },
  },
}
