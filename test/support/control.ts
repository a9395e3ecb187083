import { z } from 'zod'

/** Address and token of a sandbox's control API. */
export interface ControlAddress {
  readonly platformUrl: string
  readonly controlToken: string
}

/** Calls a sandbox's control API (POST with a body, GET without). Fails with its response. */
export async function callControl(
  { platformUrl, controlToken }: ControlAddress,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${platformUrl}/sandbox${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const Key = z.object({ keyId: z.string(), name: z.string(), status: z.string(), deleted: z.boolean() })
const Plan = z.object({
  planId: z.string(),
  name: z.string(),
  status: z.string(),
  deleted: z.boolean(),
  autoRenew: z.boolean(),
  expiresAt: z.string(),
  total: z.number(),
  keys: z.array(Key),
})
const ControlState = z.object({
  clock: z.string(),
  account: z.object({ role: z.string(), credits: z.number() }),
  plans: z.array(Plan),
})

/** State of a sandbox: credits in VND, plans with keys, deleted ones marked. */
export type SandboxState = z.infer<typeof ControlState>

/** Reads the state of a sandbox. */
export const readState = async (address: ControlAddress): Promise<SandboxState> =>
  ControlState.parse(await callControl(address, '/state'))

/** HTTP status that the gateway returns for a minimal request with the given key. */
export async function sendChatRequest(gatewayUrl: string, key: string): Promise<number> {
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora-small', messages: [{ role: 'user', content: 'Say hello' }] }),
  })
  await response.text()
  return response.status
}
