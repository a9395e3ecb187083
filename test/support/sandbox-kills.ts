import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ReadyMessage } from '../../src/sandbox/sandbox'
import { buildSandbox } from './build-program'

interface RunningSandboxProcess {
  readonly child: ChildProcess
  readonly ready: ReadyMessage
  readonly authorization: string
}

async function startSandboxProcess(program: string, stateFile: string): Promise<RunningSandboxProcess> {
  const args = ['--gateway-port', '0', '--platform-port', '0', '--json', '--state', stateFile]
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (!child.stdout) throw new Error('no pipe')
  const [line] = await once(createInterface(child.stdout), 'line')
  const readyMessage: ReadyMessage = JSON.parse(line)
  const { tokenUrl, clientId, clientSecret } = readyMessage.iam
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const { access_token } = await (await fetch(tokenUrl, { method: 'POST', body })).json()
  return { child, ready: readyMessage, authorization: `Bearer ${access_token}` }
}

const identitiesUrl = ({ ready: readyMessage }: RunningSandboxProcess): string =>
  `${readyMessage.addresses.identityApiUrl}/agent-identities`

async function createIdentity(sandbox: RunningSandboxProcess, name: string): Promise<boolean> {
  const headers = { authorization: sandbox.authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ name })
  const response = await fetch(identitiesUrl(sandbox), { method: 'POST', headers, body }).catch(() => undefined)
  return response?.status === 201
}

async function identityExists(sandbox: RunningSandboxProcess, name: string): Promise<boolean> {
  const headers = { authorization: sandbox.authorization }
  return (await fetch(`${identitiesUrl(sandbox)}/${name}`, { headers })).status === 200
}

/**
 * Kills a sandbox repeatedly while four clients create identities. Returns the confirmed identities (201), the lost ones, and
 * files left next to the state file.
 */
export async function killSandboxes(rounds: number) {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-kills-'))
  const startedChildren: ChildProcess[] = []
  try {
    const program = await buildSandbox(join(folder, 'program'))
    const stateFile = join(folder, 'state', 'state.json')
    const startSandbox = async (): Promise<RunningSandboxProcess> => {
      const sandbox = await startSandboxProcess(program, stateFile)
      startedChildren.push(sandbox.child)
      return sandbox
    }
    const completedCallNames: string[] = []
    for (let roundIndex = 0; roundIndex < rounds; roundIndex += 1) {
      const sandbox = await startSandbox()
      const exitPromise = once(sandbox.child, 'exit')
      let hasEnded = false
      const clientPromises: Promise<void>[] = []
      // On a busy machine, the first response may take longer than the pause before the kill.
      await new Promise<void>((firstAnswered) => {
        const createIdentities = async (maker: number): Promise<void> => {
          for (let writeIndex = 0; !hasEnded; writeIndex += 1) {
            const name = `agent-${roundIndex}-${maker}-${writeIndex}`
            if (!(await createIdentity(sandbox, name))) continue
            completedCallNames.push(name)
            firstAnswered()
          }
        }
        clientPromises.push(...[0, 1, 2, 3].map(createIdentities))
      })
      await new Promise((passed) => setTimeout(passed, Math.random() * 300))
      sandbox.child.kill('SIGKILL')
      await exitPromise
      hasEnded = true
      await Promise.all(clientPromises)
    }
    const lastSandbox = await startSandbox()
    const lostNames: string[] = []
    for (const name of completedCallNames) if (!(await identityExists(lastSandbox, name))) lostNames.push(name)
    const exitPromise = once(lastSandbox.child, 'exit')
    lastSandbox.child.kill('SIGTERM')
    await exitPromise
    return { answered: completedCallNames, lost: lostNames, left: await readdir(join(folder, 'state')) }
  } finally {
    for (const child of startedChildren) child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}
