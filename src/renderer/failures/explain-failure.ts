import type { Failure, FailureCode } from '@shared/failure'
import i18next from 'i18next'
import { formatDuration } from '../format'
import { type en, failureCodes } from '../i18n/en'

const t = i18next.getFixedT(null, 'failures')

/** Id of a button that can solve a failure. The page that shows the failure implements it. */
export type RemedyAction = keyof (typeof en)['failures']['actions']

/** Known properties of the plan, tool or file that failed, for use in the failure text. */
export interface FailureContext {
  readonly plan?: string | undefined
  readonly tool?: string | undefined
  readonly file?: string | undefined
  readonly modelCode?: string | undefined
  readonly requestAddress?: string | undefined
  readonly status?: number | undefined
  /** Name of the disabled key that a request used. `newKey`: name of the key that replaced it in a rotation. */
  readonly disabledKey?: string | undefined
  readonly newKey?: string | undefined
  /** Whether the plan is from the built-in sandbox. */
  readonly isSandbox?: boolean | undefined
  /** Whether the user only received a key of the plan. Another person owns the account. */
  readonly isHandedOver?: boolean | undefined
}

/** Best remedy by failure code. For all other failures, it is a retry. */
const remedies: Partial<Record<FailureCode, RemedyAction>> = {
  'account.keyNotKept': 'recheckVault',
  'account.notProvisioned': 'refresh',
  'account.unknownOutcome': 'refresh',
  'api.notConfigured': 'setAddress',
  'api.unreadable': 'setAddress',
  'auth.tokenNeeded': 'pasteKey',
  'vault.unavailable': 'recheckVault',
  'vault.keyMissing': 'pasteKey',
  'clipboard.noKey': 'pasteKey',
  'plan.notFound': 'choosePlan',
  'budget.notFound': 'refresh',
  'tool.notConfigured': 'configure',
  'tool.otherGateway': 'configure',
  'tool.overridden': 'configure',
  'tool.helperFailed': 'configure',
  'team.badInvitation': 'chooseFile',
  'register.notFound': 'refresh',
  'handout.unreadable': 'chooseFile',
  'handout.otherRecipient': 'chooseFile',
  'handout.tampered': 'chooseFile',
  'address.empty': 'setAddress',
  'address.notAnAddress': 'setAddress',
  'address.scheme': 'setAddress',
  'address.insecure': 'setAddress',
  'address.credentials': 'setAddress',
  'address.path': 'setAddress',
  'file.unparsable': 'showFile',
  'file.notStrict': 'moveComments',
  'file.notEditable': 'showFile',
  'file.changed': 'previewAgain',
  'file.unwritable': 'showFile',
  'file.unreadable': 'showFile',
  'gateway.keyRejected': 'pasteKey',
  'gateway.planExpired': 'choosePlan',
  'gateway.modelNotInPlan': 'chooseModel',
  'gateway.wrongSuffix': 'setAddress',
  'gateway.quotaExhausted': 'chooseModel',
  'gateway.badRequest': 'chooseModel',
  'gateway.notAGateway': 'setAddress',
  'net.refused': 'setAddress',
  'net.hostNotFound': 'setAddress',
  'net.tls': 'setAddress',
  'relay.portInUse': 'anotherPort',
  'relay.off': 'startRelay',
  'sandbox.portInUse': 'anotherPort',
  'sandbox.stateInUse': 'startSandbox',
  'sandbox.failed': 'startSandbox',
}

/** Remedies of a second button in place of a retry. */
const otherRemedies: Partial<Record<FailureCode, RemedyAction>> = {
  'file.notStrict': 'showFile',
  'relay.off': 'pointAtPlan',
}

/** Failures for which no retry is offered, because the action may have succeeded and would run twice. */
const nonRepeatableCodes: readonly FailureCode[] = ['account.unknownOutcome', 'account.keyNotKept']

const quoteText = (text: string | undefined): string | undefined => (text === undefined ? undefined : `“${text}”`)

const fields = ['name', 'gatewayUrl', 'models', 'modelCode', 'contextTokens', 'expiresAt', 'key'] as const

function placeholders({ line, retryAfterMs, field }: Failure, context: FailureContext) {
  const { requestAddress } = context
  return {
    plan: quoteText(context.plan) ?? t('fallback.plan'),
    model: quoteText(context.modelCode) ?? t('fallback.model'),
    tool: context.tool ?? t('fallback.tool'),
    file: context.file ?? t('fallback.file'),
    key: quoteText(context.disabledKey),
    newKey: quoteText(context.newKey),
    host: requestAddress && URL.canParse(requestAddress) ? new URL(requestAddress).host : t('fallback.host'),
    address: requestAddress ?? t('fallback.address'),
    field: t(`fields.${fields.find((knownField) => knownField === field) ?? 'other'}`),
    where: line === undefined ? t('where.unknown') : t('where.line', { line }),
    wait: retryAfterMs === undefined ? t('wait.unknown') : t('wait.known', { time: formatDuration(retryAfterMs) }),
  }
}

/** Capitalizes a generic first word such as "the host", but not real host names and paths. */
function toSentence(text: string): string {
  const opensWithFallback = (['plan', 'model', 'tool', 'file', 'host', 'address'] as const).some((term) =>
    text.startsWith(t(`fallback.${term}`)),
  )
  return opensWithFallback ? text.charAt(0).toLocaleUpperCase() + text.slice(1) : text
}

/** Texts and best remedy of a failure. Some depend on the context, not only on the failure code. */
function findTexts({ code, field }: Failure, { isSandbox, disabledKey, newKey }: FailureContext) {
  if (code === 'net.refused' && isSandbox) return { texts: 'sandboxStopped', action: 'startSandbox' } as const
  if (code === 'gateway.keyRejected' && disabledKey !== undefined) {
    if (newKey === undefined) return { texts: 'keyDisabled', action: 'chooseKey' } as const
    return { texts: 'keyReplaced', action: 'useNewKey' } as const
  }
  if (code === 'key.notFound' && field === 'pendingId') return { texts: 'pendingGone', action: 'pasteKey' } as const
  return { texts: `codes.${code}`, action: remedies[code] ?? 'tryAgain' } as const
}

/** Gateway failures with another remedy if the plan's account belongs to another person. */
const handedOverCodes = ['keyRejected', 'planExpired', 'modelNotInPlan'] as const

/** Texts about a failure, its best remedy, and `also`: the remedy for a second button. */
export function explainFailure(failure: Failure, context: FailureContext = {}) {
  const values = placeholders(failure, context)
  const { texts, action } = findTexts(failure, context)
  const handedOverTextKey = handedOverCodes.find((code) => context.isHandedOver && texts === `codes.gateway.${code}`)
  const isRepeatable = action !== 'tryAgain' && !nonRepeatableCodes.includes(failure.code)
  const otherRemedy = otherRemedies[failure.code] ?? (isRepeatable ? 'tryAgain' : undefined)
  return {
    title: toSentence(t(`${texts}.title`, values)),
    explanation: toSentence(t(`${texts}.explanation`, values)),
    remedy: t(handedOverTextKey ? `handedOver.${handedOverTextKey}` : `${texts}.remedy`, values),
    action,
    also: otherRemedy,
  }
}

export function isFailureCode(text: string): text is FailureCode {
  const [area = '', codeName = ''] = text.split('.')
  const areaCodes = Object.entries(failureCodes).find(([name]) => name === area)?.[1]
  return areaCodes !== undefined && Object.hasOwn(areaCodes, codeName)
}
