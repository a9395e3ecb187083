import type { FailureCodeTexts } from './failure-codes'

type Areas = 'rotation' | 'register' | 'audit' | 'handout'

/** Words for the failures of rotating keys, of the register and of handing out. */
export const keyFailures: Pick<FailureCodeTexts, Areas> = {
  rotation: {
    notFound: {
      title: 'This rotation is not there any more',
      explanation: 'It ended and was taken off the list, here or by the command line.',
      remedy: 'Look at the rotations in the key register.',
    },
    notAtAccount: {
      title: 'This key cannot be rotated here',
      explanation:
        'It was handed to you, or belongs to an account that is not connected. Only whoever has the account can make another one.',
      remedy: 'Ask for a new key, and replace the old one in the plan; or connect the account.',
    },
    underWay: {
      title: 'This key is being rotated already',
      explanation: 'One rotation of a key at a time: a second one would pull the key away from the first.',
      remedy: 'Look at the one that was begun.',
    },
    cannotUndo: {
      title: 'This rotation cannot be undone any more',
      explanation: 'The old key is deleted at the account, and nothing brings a deleted key back.',
      remedy: 'Rotate the new key, if that is the one to be replaced.',
    },
    oldKeyStillWorks: {
      title: 'The old key still works',
      explanation:
        'It is disabled at the account, but the gateway still accepts it. So it is not deleted yet, and nothing is broken.',
      remedy: 'Give the gateway a minute, then resume.',
    },
    keyByHand: {
      title: '{{tool}} has to be given the key by hand',
      explanation:
        'It takes the key from a variable of the shell, or from its own window, where this app cannot write.',
      remedy: 'Copy the key, put it there, then say that it is done.',
    },
    toolUnknown: {
      title: 'Which key {{tool}} uses cannot be known',
      explanation: 'The record of what this app wrote to it is damaged, so it may still use the old key.',
      remedy: 'Make sure that it does not use the old key, then delete the record and resume.',
    },
  },
  register: {
    notFound: {
      title: 'This key is not in the register any more',
      explanation: 'It was deleted in the meantime, or its plan is gone.',
      remedy: 'Refresh the register and choose again.',
    },
  },
  audit: {
    broken: {
      title: 'The audit trail is not whole',
      explanation: 'A line was changed, removed or moved after it was written, or the end is missing.',
      remedy: 'Look at the audit trail, which shows the first such line.',
    },
  },
  handout: {
    unreadable: {
      title: 'The file is no kit that can be read',
      explanation: 'It is another kind of file, or it was cut off on its way.',
      remedy: 'Ask for the file again, or choose another.',
    },
    wrongPassphrase: {
      title: 'The passphrase does not open it',
      explanation: 'One of the six words is wrong, missing, or in another place; or it belongs to another file.',
      remedy: 'Enter it once more, word by word.',
    },
    otherRecipient: {
      title: 'The file was made for somebody else’s key',
      explanation: 'Only the computer that has the other half of that public key can open it.',
      remedy: 'Send your own public key, and ask for a new file.',
    },
    badRecipient: {
      title: 'This is not an age public key',
      explanation: 'It begins with “age1” and has to be there in full; a part of it, or a secret key, does not do.',
      remedy: 'Ask for it again, and paste all of it.',
    },
    unknownCode: {
      title: 'No hand-out has this code',
      explanation: 'The register of this computer knows no kit that it belongs to.',
      remedy: 'Compare it with what the receiver sent; enter it on the computer that made the kit.',
    },
    tampered: {
      title: 'The file was changed or cut off after it was made',
      explanation: 'Its seal is broken: somebody changed it, or it was damaged on its way. Nothing of it was used.',
      remedy: 'Do not use it. Ask for a new file, and say that this one was changed.',
    },
  },
}
