import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, teamPlan, test } from '../support/cli-desk'
import { startCompanion } from '../support/companion'
import { installTools } from '../support/tools'

const plan = ['--plan', teamPlan] as const

/**
 * Most specs run commands in-process, which hides a command that never ends or a module that fails to load. So each feature runs here once
 * as a program.
 */
test('each feature runs in a separate process that exits by itself', { tag: '@deep' }, async ({ harness }) => {
  const { machine, sandbox, key } = harness
  installTools(machine)
  const { addresses, iam } = sandbox.ready
  const { tokenUrl, clientId, clientSecret } = iam
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  const file = join(machine.home, 'connection.json')
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  const chat = JSON.stringify({ model: 'aurora-small', messages: [{ role: 'user', content: 'Say hello' }] })
  const runs: readonly (readonly [args: readonly string[], out: RegExp, input?: string])[] = [
    [['plan', 'add', '--name', 'other', '--gateway', harness.gatewayUrl, '--key-stdin'], /^Added other /, key],
    [['plan', 'remove', 'other'], /other/],
    [['plan', 'check', teamPlan], /^ok: POST /],
    [['plan', 'list'], /^NAME /],
    [['key', 'print', ...plan], /^sk-\S+\n$/],
    [['configure', 'claude-code', 'opencode', ...plan], /2 tools now use team-plan/],
    [['tools'], /^claude-code +/m],
    [['statusline'], /^Large · direct\n$/, '{"model":{"id":"large","display_name":"Large"}}'],
    [['verify', 'claude-code'], /^ok: POST /],
    [['doctor', 'opencode'], /^OpenCode: /],
    [['snippet', 'opencode', ...plan], /^# shell/m],
    [['history'], /claude-code, opencode/],
    [['profile', 'save', 'work'], /^Saved work: /],
    [['use', 'work'], /Switched to work/],
    [['profile', 'export', 'work'], /"work"/],
    [['connection', 'add', '--file', file, '--secret-stdin'], /^Added local/, clientSecret.expose()],
    [['connection', 'test'], /^ok {6}token /m],
    [['plan', 'packages'], /package-starter/],
    [['api', 'call', 'console.account.get'], /"ROOT"/],
    [['api', 'call', 'inference.chatCompletions', '--body', chat], /"choices"/],
    [['register', 'list'], /default-key/],
    [['handout', 'recipient'], /^age1/],
    [['rotate', 'status'], /./],
    [['secret', 'list'], /./],
    [['usage'], /./],
    [['chat', 'Count to 3'], /^1, 2, 3\n$/],
    [['audit', 'verify'], /is intact/],
    [['restore', '--all', '--yes'], /Undid 2 configurations/],
  ]
  for (const [args, outputPattern, input = ''] of runs) {
    const outcome = await startCompanion(machine, args, { input })
    expect(outcome.code, `companion ${args.join(' ')}\n${outcome.out}${outcome.err}`).toBe(0)
    expect(outcome.out, args.join(' ')).toMatch(outputPattern)
    if (args[1] !== 'print') expect(outcome.out + outcome.err).not.toContain(key)
  }
})
