import { type CliDesk, teamPlan } from './cli-desk'

/** Points Claude Code at the relay. Returns a function that sends a request and returns its status, 0 if nothing listens. */
export async function throughRelay({ succeed }: CliDesk): Promise<() => Promise<number>> {
  const wish = ['claude-code', '--plan', teamPlan, '--route', 'relay', '--delivery', 'helper'] as const
  const { requestAddress } = JSON.parse(await succeed('configure', ...wish, '--json'))
  const token = (await succeed('key', 'print', '--relay', 'claude-code')).trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const question = { model: 'aurora-small', max_tokens: 16, messages: [{ role: 'user', content: 'Say hello' }] }
  return async () => {
    const asked = fetch(requestAddress, { method: 'POST', headers, body: JSON.stringify(question) })
    const answer = await asked.catch(() => undefined)
    await answer?.text()
    return answer?.status ?? 0
  }
}
