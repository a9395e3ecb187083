import type { CheckView } from '@shared/contract'
import { expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import type { GatewayProbeRequest } from '../../../../src/main/gateway/probe'
import { recordCheckRequest } from '../../../../src/main/usage/ledger-client'
import type { LedgerEntry } from '../../../../src/main/usage/ports'

const key = new Secret('sk-abcdefghijklmnopqrstuv0001')
const ownedKey = { id: 'k', name: 'k', masked: key.masked, addedAt: '', kept: 'keychain' } as const
const plans = [
  { id: 'other', gatewayUrl: 'https://gw.example', keys: [{ ...ownedKey, masked: 'sk-...9999' }] },
  { id: 'plan', gatewayUrl: 'https://gw.example', keys: [ownedKey] },
  { id: 'elsewhere', gatewayUrl: 'https://else.example', keys: [ownedKey] },
]
const recordedRequest = {
  at: '2026-11-21T10:00:00.250Z',
  standard: 'messages',
  durationMs: 250,
  modelCode: 'aurora-large',
  requestAddress: 'https://gw.example/v1/messages',
} as const

async function recordAndRead(view: CheckView): Promise<LedgerEntry[]> {
  const ledgerEntries: LedgerEntry[] = []
  const check = recordCheckRequest(async () => view, {
    add: (entries) => ledgerEntries.push(...entries),
    isRelayed: (address) => address.startsWith('http://127.0.0.1:4870/t/'),
    plans: () => plans,
  })
  const gatewayRequest: GatewayProbeRequest = {
    url: 'https://gw.example',
    standard: 'messages',
    key,
    modelCode: view.modelCode,
  }
  expect(await check(gatewayRequest)).toBe(view)
  return ledgerEntries
}

const buildCheckRequest = (
  code: 'gateway.quotaExhausted' | 'net.timeout' | 'net.cut' | 'address.insecure',
  status?: number,
): CheckView => ({
  ...recordedRequest,
  ok: false,
  failure: { code, message: 'no' },
  ...(status === undefined ? {} : { status }),
})

it('records the usage, start, plan and key of a check', async () => {
  expect(await recordAndRead({ ...recordedRequest, ok: true, answer: 'ok', inputTokens: 12, outputTokens: 1 })).toEqual(
    [
      {
        id: expect.stringMatching(/^app:/),
        at: Date.parse('2026-11-21T10:00:00Z'),
        source: 'app',
        status: 200,
        toolId: 'companion',
        planId: 'plan',
        keyId: 'k',
        modelCode: 'aurora-large',
        standard: 'messages',
        durationMs: 250,
        inputTokens: 12,
        outputTokens: 1,
      },
    ],
  )
})

it.each([
  ['gateway.quotaExhausted', 429, 'quota'],
  ['net.timeout', undefined, 'network'],
  ['net.cut', undefined, 'cut'],
] as const)('records the cause %s', async (code, status, error) => {
  expect(await recordAndRead(buildCheckRequest(code, status))).toMatchObject([{ status, error, planId: 'plan' }])
})

it('records nothing that was not sent, has no model, or went through the relay, which counts itself', async () => {
  expect(
    await recordAndRead({ ...recordedRequest, ok: true, requestAddress: 'http://127.0.0.1:4870/t/pi/v1/messages' }),
  ).toEqual([])
  expect(await recordAndRead(buildCheckRequest('address.insecure'))).toEqual([])
  expect(await recordAndRead({ ...recordedRequest, ok: true, modelCode: undefined })).toEqual([])
})
