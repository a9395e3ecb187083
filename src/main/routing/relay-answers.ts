import { readBody } from '../gateway/server-message'

const longestMs = 500

/** Whether a relay answers at a port of this machine, whichever process runs it. Never rejects. */
export async function answersAt(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(longestMs) })
    return answer.ok && (await readBody(answer.body, 2)).text === 'ok'
  } catch {
    return false
  }
}
