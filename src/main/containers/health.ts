import type { ContainerCheck } from '@shared/contract'
import { isHtml } from '../gateway/server-message'
import type { Ask } from './asker'

type Finding = ContainerCheck['findings'][number]

/** Whether `GET /health` answers 200 in time (spec, "Agent container contract"; the deadline is ours). */
export async function healthFinding(ask: Ask, timeoutMs: number): Promise<Finding> {
  const say = (state: Finding['state'], seen: string): Finding => ({ what: 'health', state, seen })
  const answer = await ask({ method: 'GET', path: '/health', headers: { accept: '*/*' } }, timeoutMs)
  if ('why' in answer) return say('failed', answer.code === 'net.cut' ? `${answer.why} ${cutHint}` : answer.why)
  const { status, text } = answer
  if (status >= 300 && status < 400)
    return say('failed', `GET /health answered ${status}, a redirect. It must answer 200 itself.`)
  if (status !== 200) return say('failed', `GET /health answered ${status} instead of 200.`)
  if (isHtml(text)) return say('unknown', 'GET /health answered 200 with a page for people: is this the agent?')
  return say('passed', 'GET /health answered 200.')
}

const cutHint = 'A published port of a container behaves like this when its server binds 127.0.0.1 inside.'
