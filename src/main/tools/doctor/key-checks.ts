import type { CheckView } from '@shared/contract'
import { AppError, type Failure, type FailureCode } from '@shared/failure'
import { Secret } from '../../secret'
import type { FoundCredential, WrittenTarget } from '../target'
import { type Examination, type Purpose, questionOf, skipped, step, type Told } from './facts'
import { failed } from './fixes'

/** Whether the tool gets the key that this app keeps, by the way that its settings say. */
export const helperRuns = step('helperRuns', ['found', 'purpose'], async ({ found, purpose }, examination) => {
  const { target, deps } = examination
  // What a person typed into the tool's own window is nowhere to be read.
  if (purpose.delivery === 'inTool') return { ...skipped, facts: { key: await deps.keptKey() } }
  const credential = found.credential ?? impliedBy(purpose, target)
  if (credential === undefined) {
    const message = `${target.name} has no key in its settings. Configure it again.`
    return { findings: [failed({ code: 'tool.notConfigured', message })] }
  }
  const [got, kept] = await Promise.all([outcomeOf(deps.keyOf(credential)), outcomeOf(deps.keptKey())])
  return judge({ got: got ?? missingKey(credential, target), kept, credential, purpose }, examination)
})

type Keys = {
  readonly got: Secret | Failure
  readonly kept: Secret | Failure
  readonly credential: FoundCredential
  readonly purpose: Purpose
}

function judge({ got, kept, credential, purpose }: Keys, { target, deps }: Examination): Told {
  const subject = subjectOf(credential)
  const isKept = kept instanceof Secret
  if (!(got instanceof Secret)) {
    // A keychain that is locked fails the helper too: it is the cause, and the helper is fine.
    const cause = !isKept && credential.kind === 'helper' ? kept : got
    return { findings: [failed(cause, { ...subject, ...exportFix(purpose, cause) })] }
  }
  if (!isKept) return { findings: [failed(kept, { ...subject, outcome: 'warning' })], facts: { key: got } }
  if (deps.isSameKey(got, kept)) return { findings: [{ outcome: 'ok', ...subject }], facts: { key: got } }
  const message = `${target.name} is given another key than the one this app keeps for its plan. Configure it again.`
  const other: Failure = { code: 'tool.helperFailed', message }
  return { findings: [failed(other, { ...subject, ...exportFix(purpose, other) })] }
}

/** Some tools look for a variable of a fixed name, of which their files say nothing. */
function impliedBy({ delivery }: Purpose, { variable }: WrittenTarget): FoundCredential | undefined {
  return delivery === 'env' ? { kind: 'variable', name: variable } : undefined
}

function missingKey(credential: FoundCredential, { name }: WrittenTarget): Failure {
  const message =
    credential.kind === 'variable'
      ? `${name} takes its key from the variable ${credential.name}, which a new terminal does not have. Set it in your shell's profile.`
      : `${name} gets no key. Configure it again.`
  return { code: 'tool.notConfigured', message }
}

async function outcomeOf<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
}

/** Where the key comes from: a command, a file or a variable; never the key. */
function subjectOf(credential: FoundCredential): { readonly subject?: string } {
  switch (credential.kind) {
    case 'helper':
      return { subject: credential.command }
    case 'file':
      return { subject: credential.path }
    case 'variable':
      return { subject: credential.name }
    case 'plain':
      return {}
  }
}

/** A variable of the shell is not ours to write: the person is given the line that sets it. */
function exportFix({ delivery, exportLine }: Purpose, { code }: Failure): { fix?: 'copyLine'; text?: string } {
  const isShell = delivery === 'env' && exportLine !== undefined && !code.startsWith('vault.')
  return isShell ? { fix: 'copyLine', text: exportLine } : {}
}

/** Refusals that come only after the key was accepted (spec, precedence of gateway errors). */
const afterKey: readonly FailureCode[] = ['gateway.rateLimited', 'gateway.quotaExhausted', 'gateway.badRequest']

/** Answers from which nothing can be learned about the key: nobody was there to look at it. */
const notAboutKey: readonly FailureCode[] = ['gateway.wrongSuffix', 'gateway.notAGateway']

/** Whether the gateway accepts the key: by its list of models or, where it has none, by a request that costs no tokens. */
export const keyAlive = step('keyAlive', ['key', 'purpose'], async ({ key, purpose }, { target, deps }) => {
  const { gatewayUrl } = purpose
  const subject = gatewayUrl
  const list = await deps.listModels({ url: gatewayUrl, key, signal: deps.signal })
  if (list.kind === 'refused') return { findings: [failed(list.failure, { subject })], facts: reachedBy(list.failure) }
  if (list.kind === 'listed') {
    return { findings: [{ outcome: 'ok', subject }], facts: { isReached: true, accepted: { models: list.models } } }
  }
  const view = await deps.check(questionOf({ target, deps }, { base: target.base(gatewayUrl), key }))
  return tellOf(view, subject)
})

function tellOf(view: CheckView, subject: string): Told {
  const accepted = { isReached: true, accepted: {} } as const
  if (view.ok || afterKey.includes(view.failure.code))
    return { findings: [{ outcome: 'ok', subject }], facts: accepted }
  if (notAboutKey.includes(view.failure.code)) return { ...skipped, facts: accepted }
  return { findings: [failed(view.failure, { subject })], facts: reachedBy(view.failure) }
}

const reachedBy = ({ code }: Failure): { isReached?: true } => (code.startsWith('gateway.') ? { isReached: true } : {})
