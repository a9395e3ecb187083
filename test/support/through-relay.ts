import { type CliHarness, teamPlan } from './cli-desk'

/**
 * Configures Claude Code to use the relay. Returns a function that sends a request and returns its status, 0 if no
 * relay runs.
 */
export async function routeThroughRelay(
  { succeed }: CliHarness,
  plan: string = teamPlan,
): Promise<() => Promise<number>> {
  const configureArgs = ['claude-code', '--plan', plan, '--route', 'relay', '--delivery', 'helper'] as const
  const { requestAddress } = JSON.parse(await succeed('configure', ...configureArgs, '--json'))
  const token = (await succeed('key', 'print', '--relay', 'claude-code')).trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const messagesBody = { model: 'aurora-small', max_tokens: 16, messages: [{ role: 'user', content: 'Say hello' }] }
  return async () => {
    const relayResponse = fetch(requestAddress, { method: 'POST', headers, body: JSON.stringify(messagesBody) })
    const answer = await relayResponse.catch(() => undefined)
    await answer?.text()
    return answer?.status ?? 0
  }
}
