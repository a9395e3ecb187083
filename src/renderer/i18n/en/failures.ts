import { failureCodes } from './failure-codes'

export type { FailureWords } from './failure-codes'

/** Words about failures. */
export const failures = {
  codes: failureCodes,
  sandboxStopped: {
    title: 'The sandbox is not running',
    explanation: 'This plan lives in the built-in sandbox, and nothing answers at {{host}} while it is stopped.',
    remedy: 'Start the sandbox, then try again.',
  },
  pendingGone: {
    title: 'The pasted key is no longer held',
    explanation: 'The app holds a pasted key for 15 minutes and then forgets it.',
    remedy: 'Copy the key again and paste it.',
  },
  actions: {
    pasteKey: 'Paste the key again',
    chooseModel: 'Choose another model',
    choosePlan: 'Choose another plan',
    setAddress: 'Set the address right',
    tryAgain: 'Try again',
    showFile: 'Show the file',
    moveComments: 'Keep a copy and continue',
    previewAgain: 'Show the new preview',
    recheckVault: 'Look again',
    configure: 'Configure again',
    startSandbox: 'Start the sandbox',
    refresh: 'Refresh the list',
    anotherPort: 'Start on another port',
    startRelay: 'Start the relay',
    pointAtPlan: 'Point it at the plan',
    chooseFile: 'Choose another file',
  },
  fields: {
    name: 'the name',
    gatewayUrl: 'the gateway address',
    models: 'the model codes',
    modelCode: 'the model code',
    contextTokens: 'the context window',
    expiresAt: 'the expiry date',
    key: 'the key: it is empty, or holds a space or a character that no key has',
    other: 'one of the values',
  },
  fallback: {
    plan: 'the plan',
    model: 'this model',
    tool: 'the tool',
    file: 'the file',
    host: 'the host',
    address: 'this address',
  },
  where: {
    line: 'in line {{line}}',
    unknown: 'somewhere in it',
  },
  wait: {
    known: 'in {{time}}',
    unknown: 'in a moment',
  },
  details: {
    status: 'Status',
    address: 'Request address',
    requestId: 'Request ID',
    message: 'Message',
    code: 'Code',
  },
  check: {
    passed: 'It works',
    passedKeyOnly: 'Key and plan are in order',
    noModel: 'No model code is known, so nothing was generated: only the key and the plan were proven.',
    model: 'Model',
    answer: 'Answer',
    took: 'Took',
    tokens: 'Tokens',
    tokensInOut: '{{input}} in, {{output}} out',
    tokensUnknown: 'The gateway did not say',
    requestId: 'Request ID',
    copyAddress: 'Copy request address',
  },
}
