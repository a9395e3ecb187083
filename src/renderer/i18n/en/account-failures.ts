/** Words for what an account refuses, and for what may or may not have happened there. */
export const accountFailures = {
  invalidName: {
    title: 'This name cannot be used',
    explanation: 'A plan’s name has 1 to 50 of the characters a–z, A–Z, 0–9, “_”, “-” and “.”; a key’s has 1 to 50.',
    remedy: 'Choose another name.',
  },
  roleNotAllowed: {
    title: 'This account may not buy plans',
    explanation: 'Only the roles Root and Admin may buy. Developers and Viewers work with a key they are given.',
    remedy: 'Ask a Root or an Admin of the account to buy the plan, or to give you a key.',
  },
  insufficientCredits: {
    title: 'The account has too little credit',
    explanation: 'A plan is paid in full when it is bought, and the balance does not cover it. Nothing was charged.',
    remedy: 'Add credits to the account, or choose a smaller plan.',
  },
  keyLimitReached: {
    title: 'This plan has all the keys it may have',
    explanation: 'The type of the plan sets how many keys there can be; disabled ones count as well.',
    remedy: 'Delete a key that nobody uses any more, or buy another plan.',
  },
  planExpired: {
    title: 'The plan at the account has expired',
    explanation: 'What was asked can be done before the expiry only. Its keys work no more.',
    remedy: 'Buy the plan again: that makes a new one of the same type.',
  },
  notProvisioned: {
    title: 'The plan is still being set up',
    explanation: 'Its gateway and keys are shown in full once the platform has finished. That takes a little while.',
    remedy: 'Wait until the plan is ready, then try again.',
  },
  unknownOutcome: {
    title: 'Nobody knows whether it went through',
    explanation:
      'The request was sent, but its answer was lost. It may have been carried out; doing it again could do it twice.',
    remedy: 'Refresh the list and look, before you do anything again.',
  },
  keyNotKept: {
    title: 'The key exists, but is not on this computer',
    explanation:
      'The platform has the key, yet it could not be saved here, so tools on this computer cannot use it. Nothing is lost.',
    remedy: 'Let the app look for the keychain again, then choose to keep the key in the list of the plan’s keys.',
  },
}
