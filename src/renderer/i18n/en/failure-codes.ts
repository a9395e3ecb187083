import type { FailureCode } from '@shared/failure'
import { accountFailures } from './account-failures'
import { keyFailures } from './key-failures'
import { networkFailures } from './network-failures'
import { playgroundFailures } from './playground-failures'
import { profileFailures } from './profile-failures'
import { usageFailures } from './usage-failures'

/** What a person reads about one failure: what happened, why, and what to do. */
export type FailureWords = {
  readonly title: string
  readonly explanation: string
  readonly remedy: string
}

type Area = FailureCode extends `${infer A}.${string}` ? A : never
type WhatOf<A extends string, C = FailureCode> = C extends `${A}.${infer W}` ? W : never

/** Words for every failure code; a missing or an unknown code does not compile. */
export type FailureCodeTexts = { readonly [A in Area]: { readonly [W in WhatOf<A>]: FailureWords } }

/** Words for each code. */
export const failureCodes: FailureCodeTexts = {
  input: {
    invalid: {
      title: 'Something entered does not fit',
      explanation: 'The app could not accept {{field}}.',
      remedy: 'Correct it and try again.',
    },
    declined: {
      title: 'Canceled',
      explanation: 'You did not agree when the app asked, so nothing was changed.',
      remedy: 'Repeat the action if you want to be asked again.',
    },
  },
  bridge: {
    denied: {
      title: 'The window was refused',
      explanation: 'The request did not come from the app’s own page, so it was not carried out.',
      remedy: 'Quit the app and start it again.',
    },
    unknownMethod: {
      title: 'The window and the app do not match',
      explanation: 'The window asked for something that this version of the app does not know.',
      remedy: 'Quit the app and start it again.',
    },
  },
  internal: {
    unexpected: {
      title: 'Something unexpected happened',
      explanation: 'The app ran into a fault of its own; it is not something you did.',
      remedy: 'Try again. If it comes back, report it with the details below.',
    },
  },
  vault: {
    unavailable: {
      title: 'The keychain cannot be reached',
      explanation:
        'This computer’s keychain did not answer, so keys can be neither saved nor read. The app never falls back to an unprotected file.',
      remedy: 'Unlock or install the keychain, then let the app look again.',
    },
    keyMissing: {
      title: 'The key is no longer in the keychain',
      explanation:
        'The keychain holds no key for {{plan}}. It was removed there, or it was kept only until the app quit.',
      remedy: 'Copy the key again and paste it.',
    },
  },
  clipboard: {
    noKey: {
      title: 'There is no key on the clipboard',
      explanation:
        'The clipboard is empty, or holds something no key can be: several words, several lines, a shortened key.',
      remedy: 'Copy the key alone and in full, then paste it again.',
    },
  },
  plan: {
    notFound: {
      title: 'This plan is gone',
      explanation: '{{plan}} was removed in the meantime, here or by the command line.',
      remedy: 'Choose another plan.',
    },
    nameTaken: {
      title: 'A plan with this name exists',
      explanation: 'Two plans cannot share a name, because the command line finds them by it.',
      remedy: 'Choose another name.',
    },
    inUse: {
      title: 'Tools are using this plan',
      explanation: 'Without {{plan}} the tools set up with it would stop working.',
      remedy: 'Move those tools to another plan first, or confirm that they may stop.',
    },
  },
  key: {
    notFound: {
      title: 'This key is gone',
      explanation: 'The key was removed from {{plan}} in the meantime.',
      remedy: 'Go back to the plan and choose one of the keys it has now.',
    },
  },
  connection: {
    notFound: {
      title: 'This connection is gone',
      explanation: 'The connection was removed in the meantime.',
      remedy: 'Choose another connection.',
    },
    nameTaken: {
      title: 'A connection with this name exists',
      explanation: 'Two connections cannot share a name, because they are told apart by it.',
      remedy: 'Choose another name.',
    },
  },
  tool: {
    notFound: {
      title: 'The app does not know this tool',
      explanation: 'No tool of this name is among those the app can set up.',
      remedy: 'Choose a tool from the list.',
    },
    notConfigured: {
      title: '{{tool}} is not set up yet',
      explanation: 'The files of {{tool}} hold nothing that this app wrote, so there is nothing to verify or undo.',
      remedy: 'Configure it first.',
    },
    notWritten: {
      title: '{{tool}} is not set up by writing a file',
      explanation: 'This app writes no files of {{tool}}: it is set up by hand, or cannot use a gateway of this kind.',
      remedy: 'Open the tool’s page, which says what can be done.',
    },
    otherGateway: {
      title: '{{tool}} is pointed at another gateway',
      explanation: 'Its settings now lead to another address than that of {{plan}}. To be safe, no key was sent there.',
      remedy: 'Configure it again, or undo the configuration if the other address is wanted.',
    },
    helperFailed: {
      title: '{{tool}} could not fetch the key',
      explanation:
        'The command by which {{tool}} asks this app for the key failed or printed nothing. This happens when the app was moved or the key was removed.',
      remedy: 'Configure the tool again, so that it has the right command.',
    },
  },
  address: {
    empty: {
      title: 'The address is missing',
      explanation: 'Without the address of the gateway there is nothing to reach.',
      remedy: 'Enter the gateway address that came with the plan.',
    },
    notAnAddress: {
      title: 'This is not an address',
      explanation: 'What was entered cannot be read as the address of a host.',
      remedy: 'Enter an address such as https://gateway.example.com.',
    },
    scheme: {
      title: 'This kind of address cannot be used',
      explanation: 'A gateway is reached by https, or by http on this computer.',
      remedy: 'Enter an address that begins with https://.',
    },
    insecure: {
      title: 'This address would send the key unprotected',
      explanation: 'Over http anybody on the way can read the key. The app accepts http only for this computer itself.',
      remedy: 'Use the address with https://.',
    },
    credentials: {
      title: 'The address holds a user name or password',
      explanation: 'A name or password inside an address ends up in files and logs.',
      remedy: 'Take out everything before the @ sign.',
    },
    path: {
      title: 'The address has a path',
      explanation: 'The gateway is a host without a path; the app adds what each tool needs.',
      remedy: 'Enter the host alone, such as https://gateway.example.com.',
    },
  },
  file: {
    unparsable: {
      title: 'The settings file has a mistake',
      explanation: '{{file}} cannot be read {{where}}. The app leaves a file alone that it cannot understand.',
      remedy: 'Correct the file, then try again.',
    },
    notStrict: {
      title: '{{tool}} ignores this whole file',
      explanation:
        'There is a comment or a trailing comma {{where}}. {{tool}} reads strict JSON: one such thing and none of the settings in the file count.',
      remedy: 'Keep a commented copy beside it and go on with a clean file, or correct the file yourself.',
    },
    notEditable: {
      title: 'This app cannot edit the file',
      explanation:
        'The app cannot safely change {{file}} {{where}}: an alias, a merge key or a set is used there. Nothing was written.',
      remedy: 'Write that line as a plain key and value, then try again. Or enter the settings in the file yourself.',
    },
    changed: {
      title: 'The file changed in the meantime',
      explanation: '{{file}} is no longer what the preview showed. Nothing was written.',
      remedy: 'Look at the new preview, then apply it.',
    },
    unwritable: {
      title: 'The file cannot be written',
      explanation: 'The system refused to write {{file}}. The disk may be full, or the file belongs to somebody else.',
      remedy: 'Put its permissions right, then try again.',
    },
    unreadable: {
      title: 'The file cannot be opened',
      explanation: 'The system refused to read {{file}}.',
      remedy: 'Put its permissions right, then try again.',
    },
  },
  storage: {
    full: {
      title: 'The disk is full',
      explanation: 'The app could not save this change. What was saved before is unchanged.',
      remedy: 'Free some space on the disk of the data folder, then try again.',
    },
    denied: {
      title: 'The data folder cannot be written',
      explanation: 'The folder is read-only or belongs to another user. What was saved before is unchanged.',
      remedy: 'Allow writing to the data folder, then try again.',
    },
    busy: {
      title: 'Another process is saving',
      explanation: 'Another process of this app did not finish saving in time. What was saved before is unchanged.',
      remedy: 'Close other windows and commands of this app, then try again.',
    },
  },
  gateway: {
    keyRejected: {
      title: 'The gateway refused the key',
      explanation: 'The key is wrong, has characters missing, or was disabled by whoever handed it out.',
      remedy: 'Make sure that the key is ACTIVE in the console, copy it in full and paste it again.',
    },
    planExpired: {
      title: 'The plan has expired',
      explanation: '{{plan}} expired or was deleted, so none of its keys work any more.',
      remedy: 'Buy the plan again or turn on auto-renew in the console, or use another plan.',
    },
    modelNotInPlan: {
      title: 'The plan does not include this model',
      explanation: 'The gateway was asked for {{model}}, which is not among the models of {{plan}}.',
      remedy: 'Choose a model from the plan’s Models tab. Its code must match to the letter.',
    },
    wrongSuffix: {
      title: 'The address has the wrong ending',
      explanation:
        'The gateway has nothing at {{address}}. Tools of the chat-completions standard need /v1 at the end of the address, tools of the Messages standard must not have it.',
      remedy: 'Set the address to the gateway’s host alone; the app adds the right ending for each tool.',
    },
    quotaExhausted: {
      title: 'The allowance of this model is used up',
      explanation: 'The plan has nothing left for {{model}} in this cycle. Other models of the plan are not affected.',
      remedy: 'Use another model until the next cycle begins, or another plan.',
    },
    rateLimited: {
      title: 'Too many requests at once',
      explanation: 'The gateway asks to slow down. Key and plan are in order.',
      remedy: 'Try again {{wait}}.',
    },
    serverError: {
      title: 'The gateway failed',
      explanation: 'The gateway reported a fault of its own. Address and key may well be right.',
      remedy: 'Try again in a moment. If it stays, tell whoever runs the gateway and give them the request ID.',
    },
    badRequest: {
      title: 'The gateway did not accept the request',
      explanation: 'The gateway understood who was asking, but not what was asked of {{model}}.',
      remedy: 'Try another model. The details below hold what the gateway said.',
    },
    notAGateway: {
      title: 'There is no gateway at this address',
      explanation: 'Something answered at {{address}}, but not in the way a gateway does.',
      remedy: 'Compare the address with the one that came with the plan.',
    },
  },
  sandbox: {
    portInUse: {
      title: 'Another program uses the sandbox’s port',
      explanation: 'The sandbox could not take its usual port, because something else listens there.',
      remedy: 'Start it on another port. Tools already set up with the sandbox need to be configured again then.',
    },
    stateInUse: {
      title: 'Another sandbox uses the same state file',
      explanation: 'Two sandboxes would overwrite each other’s changes, so this one did not start.',
      remedy: 'Stop the other sandbox, then start this one again.',
    },
    failed: {
      title: 'The sandbox did not start',
      explanation: 'Its process ended before it was ready.',
      remedy: 'Start it again.',
    },
  },
  ...networkFailures,
  ...profileFailures,
  ...keyFailures,
  ...playgroundFailures,
  ...usageFailures,
  account: accountFailures,
}
