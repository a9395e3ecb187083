import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { resolveFromRoot } from '../../../scripts/lib/project.mjs'

/**
 * @typedef {import('./load.mjs').LoadOrder} LoadOrder
 * @typedef {import('./load.mjs').LoadResult} LoadResult
 * @typedef {{ bare: LoadResult, gateway: LoadResult }} Round
 * @typedef {import('../../../src/sandbox/sandbox').ReadyMessage} Ready
 *
 * @typedef {object} SpeedOptions
 * @property {number} rounds the first warms up and does not count
 * @property {string} folder a new folder for the state file
 * @property {string} [program] the built sandbox
 * @property {(text: string) => void} [report]
 */

const maxInFlight = 16
const roundMs = 1500
const chatPath = '/v1/chat/completions'
const parts = resolveFromRoot('test/bench/sandbox')

/**
 * Loads the gateway and a bare server alternately, each in its own process, with the same small request and answer.
 * @param {SpeedOptions} options
 * @returns {Promise<Round[]>}
 */
export async function measureGateway({ rounds, folder, program = resolveFromRoot('out/main/sandbox.cjs'), report }) {
  const sandbox = startProcess(program, [
    '--gateway-port',
    '0',
    '--platform-port',
    '0',
    '--json',
    '--state',
    join(folder, 'sandbox.json'),
  ])
  const [bare, load] = [startProcess(join(parts, 'bare-server.mjs')), startProcess(join(parts, 'load.mjs'))]
  try {
    const subject = await prepare(await waitForReady(sandbox))
    bare.send(subject.answer)
    const [{ port: barePort }] = await once(bare, 'message')
    /** @type {Round[]} */
    const results = []
    for (let roundIndex = 1; roundIndex <= rounds; roundIndex += 1) {
      const baselineResult = await startLoadPort(load, { port: barePort, message: subject.message })
      await subject.refill()
      const gateway = await startLoadPort(load, { port: subject.port, message: subject.message })
      results.push({ bare: baselineResult, gateway })
      report?.(`round ${roundIndex} of ${rounds}`)
    }
    return results.slice(1)
  } finally {
    await Promise.all([sandbox, bare, load].map(endChild))
  }
}

/**
 * A child that exits with this process, because the channel closes.
 * @param {string} program
 * @param {readonly string[]} [args]
 */
function startProcess(program, args = []) {
  return fork(program, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: [] })
}

/** @param {import('node:child_process').ChildProcess} child */
async function endChild(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exitPromise = once(child, 'exit')
  child.disconnect()
  await exitPromise
}

/**
 * @param {import('node:child_process').ChildProcess} sandbox
 * @returns {Promise<Ready>}
 */
async function waitForReady(sandbox) {
  if (!sandbox.stdout) throw new Error('The sandbox has no output.')
  const [line] = await once(createInterface(sandbox.stdout), 'line')
  const message = JSON.parse(line)
  if (message.kind !== 'ready') throw new Error(`The sandbox did not start: ${line}`)
  return message
}

/**
 * Creates the request for the gateway, its response, and a function that resets the quota, so that no round uses it up.
 * @param {Ready} ready
 */
async function prepare({ gatewayUrl, platformUrl, controlToken, plans }) {
  const plan = plans.find(({ status }) => status === 'ACTIVE')
  const key = plan?.keys.find(({ status }) => status === 'ACTIVE')?.key
  const modelCode = plan?.models.find((model) => model.modelCode === 'aurora-small')?.modelCode
  if (!plan || !key || !modelCode) throw new Error('The sandbox has no active plan with the model of this measurement.')
  const body = JSON.stringify({ model: modelCode, messages: [{ role: 'user', content: 'Say hello to the bench' }] })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const firstResponse = await fetch(gatewayUrl + chatPath, { method: 'POST', headers, body })
  const answer = await firstResponse.json()
  if (firstResponse.status !== 200)
    throw new Error(`The gateway answered ${firstResponse.status}: ${JSON.stringify(answer)}`)
  const { host, port } = new URL(gatewayUrl)
  const head = [
    `POST ${chatPath} HTTP/1.1`,
    `host: ${host}`,
    `authorization: ${headers.authorization}`,
    `content-type: ${headers['content-type']}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  const refill = async () => {
    const { ok } = await fetch(`${platformUrl}/sandbox/models`, {
      method: 'POST',
      headers: { authorization: `Bearer ${controlToken}` },
      body: JSON.stringify({ planId: plan.planId, modelCode, tokensUsed: 0, requestsUsed: 0 }),
    })
    if (!ok) throw new Error('The allowance could not be reset.')
  }
  return { port: Number(port), answer, refill, message: `${head.join('\r\n')}\r\n\r\n${body}` }
}

/**
 * @param {import('node:child_process').ChildProcess} load
 * @param {Pick<LoadOrder, 'port' | 'message'>} order
 * @returns {Promise<LoadResult>}
 */
async function startLoadPort(load, order) {
  load.send({ ...order, inFlight: maxInFlight, durationMs: roundMs })
  const [result] = await once(load, 'message')
  if ('error' in result) throw new Error(result.error)
  if (result.failed > 0) throw new Error(`${result.failed} requests were not answered with 200.`)
  return result
}
