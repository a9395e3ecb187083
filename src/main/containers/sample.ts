import { randomUUID } from 'node:crypto'
import type { ContainerCheck, MethodInput } from '@shared/contract'
import { AppError } from '@shared/failure'
import { isHtml } from '../gateway/server-message'
import type { ContainerAnswer } from './ask'
import type { Ask } from './asker'

type Question = Omit<MethodInput<'containers.check'>, 'callId'>
type Finding = ContainerCheck['findings'][number]

/** The headers in which the runtime says who asks (spec, "Agent container contract"). */
const userHeader = 'X-Platform-Agent-User-Id'
const sessionHeader = 'X-Platform-Agent-Session-Id'

/** Where the sample goes and what it says: ours, for the spec does not tell. */
const usualPath = '/invocations'
const usualBody = '{"prompt":"Hello"}'

/** A request as the runtime makes one. */
export interface Sample {
  readonly path: string
  readonly body: string
  readonly userId: string
  readonly sessionId: string
}

/** The sample request of a question; ids that were not given are made up. Fails with `input.invalid`. */
export function sampleOf({ samplePath = usualPath, sampleBody = usualBody, userId, sessionId }: Question): Sample {
  if (!/^\/[\x21-\x7e]*$/.test(samplePath)) throw invalid('samplePath', 'begins with / and has no spaces')
  const made = randomUUID().slice(0, 8)
  return {
    path: samplePath,
    body: sampleBody,
    userId: headerText('userId', userId || `user-${made}`),
    sessionId: headerText('sessionId', sessionId || `session-${made}`),
  }
}

/** What came of the sample, and what was sent and answered. */
export interface SampleOutcome {
  readonly findings: readonly Finding[]
  readonly sample: NonNullable<ContainerCheck['sample']>
}

/** Sends the sample with the ids of a user and a session. */
export async function sendSample(
  ask: Ask,
  { path, body, userId, sessionId }: Sample,
  timeoutMs: number,
): Promise<SampleOutcome> {
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    [userHeader]: userId,
    [sessionHeader]: sessionId,
  }
  const answer = await ask({ method: 'POST', path, headers, body }, timeoutMs)
  const text = 'why' in answer ? '' : answer.text
  return {
    findings: [
      sampleFinding(path, answer),
      headerFinding('userHeader', { name: userHeader, value: userId, text }),
      headerFinding('sessionHeader', { name: sessionHeader, value: sessionId, text }),
    ],
    sample: {
      path,
      headers: Object.entries(headers),
      ...('why' in answer ? {} : { status: answer.status }),
      answer: 'why' in answer ? answer.why : `${text}${answer.isCut ? '…' : ''}`,
    },
  }
}

/** When nothing listens, nothing is known. */
export const noSample: readonly Finding[] = (['sample', 'userHeader', 'sessionHeader'] as const).map((what) => ({
  ...{ what, state: 'unknown' as const, seen: 'Nothing listens, so nothing was sent.' },
}))

function sampleFinding(path: string, answer: ContainerAnswer | { readonly why: string }): Finding {
  const say = (state: Finding['state'], seen: string): Finding => ({ what: 'sample', state, seen })
  const asked = `POST ${path}`
  if ('why' in answer) return say('failed', `${asked}: ${answer.why}`)
  const { status, text } = answer
  if (status >= 500) return say('failed', `${asked} answered ${status}.`)
  if (status >= 300 && status < 400) return say('failed', `${asked} answered ${status}, a redirect.`)
  // The contract names no path and no body: a refusal may be about the sample, not about the agent.
  if (status === 404 || status === 405)
    return say('unknown', `There is nothing at ${asked} (${status}). Give the path that the agent serves.`)
  if (status >= 400) return say('unknown', `${asked} was refused (${status}). Give a body that the agent takes.`)
  if (isHtml(text)) return say('unknown', `${asked} answered ${status} with a page for people: is this the agent?`)
  return say('passed', `${asked} answered ${status}.`)
}

interface SentHeader {
  readonly name: string
  readonly value: string
  readonly text: string
}

/** What the agent does with a header cannot be seen from outside, unless it says so. */
function headerFinding(what: 'userHeader' | 'sessionHeader', { name, value, text }: SentHeader): Finding {
  return text.includes(value)
    ? { what, state: 'passed', seen: `${name}: ${value} was sent, and the answer repeats it.` }
    : {
        what,
        state: 'unknown',
        seen: `${name}: ${value} was sent. Whether the agent reads it cannot be seen from its answer.`,
      }
}

function headerText(field: string, text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text
  throw invalid(field, 'takes letters, digits and signs of ASCII, because it goes into a header')
}

const invalid = (field: string, says: string): AppError => new AppError('input.invalid', `${field} ${says}.`, { field })
