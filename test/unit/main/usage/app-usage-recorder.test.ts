import type { CheckView } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { recordCheckRequest } from '../../../../src/main/usage/ledger-client'
import type { LedgerEntry } from '../../../../src/main/usage/ports'

const key = new Secret('sk-abcdefghijklmnopqrstuv0001')
const ownedKey = { id: 'k', name: 'k', masked: key.masked, addedAt: '', kept: 'keychain' } as const
const plans = [
  { id: 'other', gatewayUrl: 'https://gw.example', keys: [{ ...ownedKey, masked: 'sk-...9999' }] },
  { id: 'plan', gatewayUrl: 'https://gw.example', keys: [ownedKey] },
  { id: 'elsewhere', gatewayUrl: 'https://else.example', keys: [ownedKey] },
]
const success = {
  ok: true,
  at: '2026-11-21T10:00:00.250Z',
  standard: 'messages',
  durationMs: 250,
  modelCode: 'aurora-large',
  requestAddress: 'https://gw.example/v1/messages',
} as const

const buildFailure = (code: FailureCode, status?: number): CheckView => ({
  ...success,
  ok: false,
  failure: { code, message: 'no' },
  ...(status === undefined ? {} : { status }),
})

const recordedEntry = {
  id: expect.stringMatching(/^app:/),
  at: Date.parse('2026-11-21T10:00:00Z'),
  source: 'app',
  toolId: 'companion',
  planId: 'plan',
  keyId: 'k',
  modelCode: 'aurora-large',
  standard: 'messages',
  durationMs: 250,
}

it.each<[string, CheckView, object[]]>([
  [
    'usage, start, plan and key',
    { ...success, answer: 'ok', inputTokens: 12, outputTokens: 1 },
    [{ ...recordedEntry, status: 200, inputTokens: 12, outputTokens: 1 }],
  ],
  ['a refusal', buildFailure('gateway.quotaExhausted', 429), [{ ...recordedEntry, status: 429, error: 'quota' }]],
  ['a timeout', buildFailure('net.timeout'), [{ ...recordedEntry, error: 'network' }]],
  ['a cut connection', buildFailure('net.cut'), [{ ...recordedEntry, error: 'cut' }]],
  ['nothing that was not sent', buildFailure('address.insecure'), []],
  ['nothing without a model', { ...success, modelCode: undefined }, []],
  [
    'nothing that went through the relay, which counts itself',
    { ...success, requestAddress: 'http://127.0.0.1:4870/t/pi/v1/messages' },
    [],
  ],
])('records of a check: %s', async (_, view, expectedEntries) => {
  const entries: LedgerEntry[] = []
  const check = recordCheckRequest(async () => view, {
    add: (newEntries) => entries.push(...newEntries),
    isRelayed: (address) => address.startsWith('http://127.0.0.1:4870/t/'),
    plans: () => plans,
  })
  const { modelCode } = view
  expect(await check({ url: 'https://gw.example', standard: 'messages', key, modelCode })).toBe(view)
  expect(entries).toEqual(expectedEntries)
})
