import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createMachine, expect, type Machine } from '../support/app'
import { runCompanion } from '../support/companion'
import { sendChatRequest } from '../support/control'
import { startPostgres, toPassword, withoutPostgres } from '../support/postgres'
import { test } from '../support/sandbox'
import { claudeFile, installTools } from '../support/tools'

const shell = promisify(execFile)
const plan = 'sandbox-pro'
const [oldName, newName] = ['default-key', 'rotated-by-binh']

/** Runs a command that must succeed and parses its JSON. */
async function run(memberMachine: Machine, args: readonly string[], input = ''): Promise<unknown> {
  const { code, out, err } = await runCompanion(memberMachine, ['--json', ...args], { input })
  expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
  return JSON.parse(out)
}

/** The current keys of Claude Code (printed by its helper command) and of OpenCode (in its settings file). */
async function listToolKeys({ home, env }: Machine): Promise<string[]> {
  const { apiKeyHelper } = JSON.parse(readFileSync(claudeFile({ home }), 'utf8'))
  const { stdout } = await shell('/bin/sh', ['-c', apiKeyHelper], { env, cwd: '/' })
  const openCode = readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')
  const [, keyFile = ''] = /\{file:([^}]+)\}/.exec(openCode) ?? []
  return [stdout.trimEnd(), readFileSync(keyFile, 'utf8').trimEnd()]
}

test("a lead rotates a key while another lead's tools use it, without a failed request", async ({
  machine: an,
  sandbox,
}) => {
  test.skip(withoutPostgres !== undefined, withoutPostgres)
  const [binh, postgres] = [await createMachine(), await startPostgres()]
  try {
    const { addresses, iam, gatewayUrl } = sandbox.ready
    const tokenSource = { kind: 'client-credentials', tokenUrl: iam.tokenUrl, clientId: iam.clientId }
    for (const memberMachine of [an, binh]) {
      const file = join(memberMachine.home, 'connection.json')
      writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
      await run(memberMachine, ['connection', 'add', '--file', file, '--secret-stdin'], iam.clientSecret.expose())
      await run(memberMachine, ['key', 'save', plan, oldName])
    }
    installTools(an)
    for (const tool of ['claude-code', 'opencode']) await run(an, ['configure', tool, '--plan', plan])
    const [oldKey = ''] = await listToolKeys(an)

    const database = await postgres.database(['an', 'binh'])
    // Both simulated computers share one keychain, which stores one password per space, so both users get the same
    // password.
    await postgres.query('postgres', `ALTER ROLE binh PASSWORD '${toPassword('an')}'`)
    const address = `postgres://an@127.0.0.1:${postgres.port}/${database}`
    await run(
      an,
      ['team', 'create', address, '--name', 'Leads', '--person', 'An', '--password-stdin'],
      toPassword('an'),
    )
    const invitation = join(binh.home, 'invitation.json')
    await run(an, ['team', 'invite', 'Binh', '--user', 'binh', '--out', invitation])
    await run(binh, ['team', 'join', invitation, '--password-stdin'], toPassword('an'))
    await run(an, ['team', 'push'])

    const statuses: number[] = []
    let isRotating = true
    const requests = (async () => {
      while (isRotating) for (const key of await listToolKeys(an)) statuses.push(await sendChatRequest(gatewayUrl, key))
    })()
    const keyArgs = ['--plan', plan, '--key', oldName, '--name', newName]
    const waitingRotation = await run(binh, ['rotate', 'start', ...keyArgs, '--grace', '1h', '--yes'])
    expect(waitingRotation).toMatchObject({
      state: 'waiting',
      computers: [{ person: 'An', toolNames: ['Claude Code', 'OpenCode'] }],
    })
    expect(await sendChatRequest(gatewayUrl, oldKey)).toBe(200)

    await run(an, ['team', 'push'])
    const [newKey = '', otherKey] = await listToolKeys(an)
    expect([newKey === oldKey, otherKey === newKey]).toEqual([false, true])
    expect(await run(an, ['team', 'status'])).toMatchObject({
      rotations: [expect.not.objectContaining({ switchHere: expect.anything() })],
    })
    const rotations = await run(binh, ['rotate', 'status'])
    const { id } = Array.isArray(rotations) ? rotations[0] : Object(rotations)
    await run(binh, ['rotate', 'resume', id])
    await expect.poll(() => sendChatRequest(gatewayUrl, oldKey)).toBe(401)
    isRotating = false
    await requests
    expect(await sendChatRequest(gatewayUrl, newKey)).toBe(200)
    expect(statuses.length).toBeGreaterThan(4)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  } finally {
    await postgres.end()
    rmSync(join(binh.home, '..'), { recursive: true, force: true, maxRetries: 5 })
  }
})
