/** Names of failures by area. A failure code is `area.name`. The window translates it. */
const failuresByArea = {
  input: ['invalid', 'declined'],
  bridge: ['denied', 'unknownMethod'],
  internal: ['unexpected'],
  vault: ['unavailable', 'keyMissing'],
  clipboard: ['noKey'],
  plan: ['notFound', 'nameTaken', 'inUse'],
  budget: ['notFound', 'nameTaken', 'tooMany', 'usedUp'],
  webhook: ['rejected'],
  key: ['notFound'],
  connection: ['notFound', 'nameTaken'],
  tool: ['notFound', 'notConfigured', 'helperFailed', 'otherGateway', 'overridden', 'notWritten'],
  profile: ['notFound', 'nameTaken', 'unreadable', 'incomplete'],
  history: ['notFound'],
  rotation: [
    'notFound',
    'notAtAccount',
    'underWay',
    'cannotUndo',
    'oldKeyStillWorks',
    'keyByHand',
    'toolUnknown',
    'heldElsewhere',
  ],
  register: ['notFound'],
  audit: ['broken'],
  team: [
    'notJoined',
    'alreadyJoined',
    'badInvitation',
    'unreachable',
    'rejected',
    'passwordMissing',
    'tls',
    'notAllowed',
    'notInvited',
    'noUser',
    'noSpace',
    'spaceExists',
    'newer',
    'older',
    'busy',
    'unreadable',
  ],
  handout: ['unreadable', 'wrongPassphrase', 'otherRecipient', 'badRecipient', 'unknownCode', 'tampered'],
  address: ['empty', 'notAnAddress', 'scheme', 'insecure', 'credentials', 'path'],
  file: ['unparsable', 'notStrict', 'notEditable', 'changed', 'unwritable', 'unreadable'],
  storage: ['full', 'denied', 'busy'],
  gateway: [
    'keyRejected',
    'planExpired',
    'modelNotInPlan',
    'wrongSuffix',
    'quotaExhausted',
    'rateLimited',
    'serverError',
    'badRequest',
    'notAGateway',
  ],
  net: ['refused', 'hostNotFound', 'timeout', 'tls', 'cut', 'other', 'tooLong', 'cancelled', 'proxy'],
  relay: ['portInUse', 'failed', 'off'],
  updates: ['damaged', 'notSigned', 'noRelease', 'rolledBack'],
  usage: ['unavailable'],
  playground: ['notFound', 'unavailable', 'noTarget', 'unreadable', 'mcpServer'],
  sandbox: ['portInUse', 'stateInUse', 'failed'],
  api: [
    'notConfigured',
    'badRequest',
    'unauthorized',
    'forbidden',
    'notFound',
    'conflict',
    'rateLimited',
    'serverError',
    'unreadable',
    'listTooLong',
  ],
  auth: ['rejected', 'tokenSource', 'tokenNeeded', 'commandNotAllowed'],
  account: [
    'invalidName',
    'roleNotAllowed',
    'insufficientCredits',
    'keyLimitReached',
    'planExpired',
    'notProvisioned',
    'unknownOutcome',
    'keyNotKept',
  ],
} as const

type FailuresByArea = typeof failuresByArea
type FailureCode = { [A in keyof FailuresByArea]: `${A}.${FailuresByArea[A][number]}` }[keyof FailuresByArea]

export const failureCodes = Object.entries(failuresByArea).flatMap(([area, names]) =>
  names.map((name) => `${area}.${name}` as FailureCode),
)

/** A failure across process boundaries. Never holds a secret, a header, a body or a line of a file. */
interface Failure {
  code: FailureCode
  /** English text for logs and the command line: the problem, the affected item and the fix. */
  message: string
  /** HTTP status of the response, if there was one. */
  status?: number | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  /** Invalid input field. */
  field?: string | undefined
  /** Line in the invalid file, counted from 1. */
  line?: number | undefined
}

/** Error with a failure code. It becomes a `Failure` at the process boundary. */
export class AppError extends Error {
  readonly failure: Failure

  constructor(
    code: FailureCode,
    message: string,
    details: Omit<Failure, 'code' | 'message'> & { cause?: unknown } = {},
  ) {
    const { cause, ...rest } = details
    super(message, { cause })
    this.name = 'AppError'
    this.failure = { ...rest, code, message }
  }
}

/** Resolves to undefined if the work fails with this code. */
export async function undefinedIfFailed<T>(code: FailureCode, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && error.failure.code === code) return undefined
    throw error
  }
}

/** The error of a failure from another process or an earlier step. */
export const toAppError = (failure: Failure): AppError => new AppError(failure.code, failure.message, failure)
