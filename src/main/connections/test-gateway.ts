import { AppError, type Failure } from '@shared/failure'
import { printableAddress, requestAddressFor } from '../gateway/address'
import { chatCompletions } from '../gateway/chat-completions'
import { explainStatus } from '../gateway/explain'
import { readBody } from '../gateway/read-body'
import { isHtml, parseJson } from '../gateway/server-message'
import { startDeadline } from '../platform/deadline'
import { stopped } from '../platform/exchange'
import { explainBroken } from '../platform/explain'
import type { PlanThere } from './open-connection'
import type { TestOutcome, TestSubject } from './test-part'

const TIMEOUT_MS = 30_000
const LONGEST_BODY_BYTES = 256_000

/** Sent when no model code is known: the gateway refuses it only after it has accepted the key and the plan. */
const unknownModel = 'companion-check'

/** Asks the gateway with the key of a plan of this machine; without one, whether it refuses a missing key as gateways do. */
export async function testGateway(subject: TestSubject): Promise<TestOutcome> {
  const { record, ports } = subject
  const { tokenPlanUrl } = record.addresses
  if (!tokenPlanUrl) {
    const message = 'The connection has no address for the gateway. Add its tokenPlanUrl.'
    return { ok: false, failure: { code: 'api.notConfigured', message, field: 'tokenPlanUrl' } }
  }
  const plan = ports.planAt(tokenPlanUrl)
  const requestAddress = requestAddressFor(tokenPlanUrl, 'chat-completions')
  const outcome = await (plan ? askWithKey(subject, plan, requestAddress) : askWithoutKey(subject, requestAddress))
  return { ...outcome, requestAddress }
}

async function askWithKey(
  { open, signal }: TestSubject,
  { modelCode }: PlanThere,
  requestAddress: string,
): Promise<TestOutcome> {
  const body = chatCompletions.smallestRequest(modelCode ?? unknownModel)
  try {
    const { data, status } = await open.client.call('gateway.chatCompletions', { body }, { signal })
    if (chatCompletions.readAnswer(data) !== undefined) return { ok: true, proven: 'used' }
    return { ok: false, status, failure: explained({ status, body: JSON.stringify(data) ?? '', requestAddress }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { failure } = error
    if (modelCode === undefined && failure.code === 'gateway.modelNotInPlan') return { ok: true, proven: 'used' }
    return { ok: false, failure }
  }
}

async function askWithoutKey({ open, ports, signal }: TestSubject, requestAddress: string): Promise<TestOutcome> {
  const deadline = startDeadline({ timeoutMs: TIMEOUT_MS, signal, sleep: ports.sleep })
  try {
    const answer = await open.send({
      method: 'POST',
      url: requestAddress,
      headers: { ...chatCompletions.headers, accept: 'application/json' },
      body: JSON.stringify(chatCompletions.smallestRequest(unknownModel)),
      signal: deadline.signal,
    })
    const { status, headers } = answer
    const { text, error } = await readBody(answer.body, LONGEST_BODY_BYTES)
    if (error !== undefined && (deadline.signal.aborted || status < 400)) throw error
    if (status === 401 && !isHtml(text)) return { ok: true, proven: 'reached' }
    if (status < 300 && chatCompletions.readAnswer(parseJson(text)) !== undefined)
      return { ok: true, proven: 'reached' }
    const [location, retryAfter] = [headers.get('location'), headers.get('retry-after')]
    const failure =
      status === 401
        ? signInPage(requestAddress)
        : explained({ status, body: text, requestAddress, location, retryAfter })
    return { ok: false, status, failure }
  } catch (error) {
    if (error instanceof AppError) throw error
    const { aborted } = deadline.signal
    return {
      ok: false,
      failure: aborted ? stopped(deadline.signal, requestAddress) : explainBroken(error, requestAddress),
    }
  } finally {
    deadline.stop()
  }
}

const explained = (answer: Omit<Parameters<typeof explainStatus>[0], 'standard'>): Failure =>
  explainStatus({ ...answer, standard: 'chat-completions' })

/** A gateway refuses a missing key in JSON; a page is from something that people sign in to. */
const signInPage = (requestAddress: string): Failure => ({
  code: 'gateway.notAGateway',
  message: `${printableAddress(requestAddress)} is not a gateway's: it answers with a web page that asks for a sign-in (401). Check the gateway address.`,
})
