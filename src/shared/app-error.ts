/** All failure codes as `area.what`. The window translates them. */
export const failureCodes = [
  'input.invalid',
  'input.declined',
  'bridge.denied',
  'bridge.unknownMethod',
  'internal.unexpected',
  'vault.unavailable',
  'vault.keyMissing',
  'clipboard.noKey',
  'plan.notFound',
  'plan.nameTaken',
  'plan.inUse',
  'budget.notFound',
  'budget.nameTaken',
  'budget.tooMany',
  'budget.usedUp',
  'webhook.rejected',
  'key.notFound',
  'connection.notFound',
  'connection.nameTaken',
  'tool.notFound',
  'tool.notConfigured',
  'tool.helperFailed',
  'tool.otherGateway',
  'tool.overridden',
  'tool.notWritten',
  'profile.notFound',
  'profile.nameTaken',
  'profile.unreadable',
  'profile.incomplete',
  'history.notFound',
  'rotation.notFound',
  'rotation.notAtAccount',
  'rotation.underWay',
  'rotation.cannotUndo',
  'rotation.oldKeyStillWorks',
  'rotation.keyByHand',
  'rotation.toolUnknown',
  'rotation.heldElsewhere',
  'register.notFound',
  'audit.broken',
  'team.notJoined',
  'team.alreadyJoined',
  'team.badInvitation',
  'team.unreachable',
  'team.rejected',
  'team.passwordMissing',
  'team.tls',
  'team.notAllowed',
  'team.notInvited',
  'team.noUser',
  'team.noSpace',
  'team.spaceExists',
  'team.newer',
  'team.older',
  'team.busy',
  'team.unreadable',
  'handout.unreadable',
  'handout.wrongPassphrase',
  'handout.otherRecipient',
  'handout.badRecipient',
  'handout.unknownCode',
  'handout.tampered',
  'address.empty',
  'address.notAnAddress',
  'address.scheme',
  'address.insecure',
  'address.credentials',
  'address.path',
  'file.unparsable',
  'file.notStrict',
  'file.notEditable',
  'file.changed',
  'file.unwritable',
  'file.unreadable',
  'storage.full',
  'storage.denied',
  'storage.busy',
  'gateway.keyRejected',
  'gateway.planExpired',
  'gateway.modelNotInPlan',
  'gateway.wrongSuffix',
  'gateway.quotaExhausted',
  'gateway.rateLimited',
  'gateway.serverError',
  'gateway.badRequest',
  'gateway.notAGateway',
  'net.refused',
  'net.hostNotFound',
  'net.timeout',
  'net.tls',
  'net.cut',
  'net.other',
  'net.tooLong',
  'relay.portInUse',
  'relay.failed',
  'relay.off',
  'updates.damaged',
  'updates.notSigned',
  'updates.noRelease',
  'updates.rolledBack',
  'usage.unavailable',
  'playground.notFound',
  'playground.unavailable',
  'playground.noTarget',
  'playground.unreadable',
  'playground.mcpServer',
  'sandbox.portInUse',
  'sandbox.stateInUse',
  'sandbox.failed',
  'api.notConfigured',
  'api.badRequest',
  'api.unauthorized',
  'api.forbidden',
  'api.notFound',
  'api.conflict',
  'api.rateLimited',
  'api.serverError',
  'api.unreadable',
  'api.listTooLong',
  'auth.rejected',
  'auth.tokenSource',
  'auth.tokenNeeded',
  'auth.commandNotAllowed',
  'net.cancelled',
  'net.proxy',
  'account.invalidName',
  'account.roleNotAllowed',
  'account.insufficientCredits',
  'account.keyLimitReached',
  'account.planExpired',
  'account.notProvisioned',
  'account.unknownOutcome',
  'account.keyNotKept',
] as const

type FailureCode = (typeof failureCodes)[number]

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
