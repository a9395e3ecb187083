import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createGatewayCheck } from '../../../../../src/main/gateway/probe'

type ProbeOutcome = Awaited<ReturnType<Parameters<typeof createGatewayCheck>[0]>>

const key = new Secret('sk-check-0123456789abcdef')
const gatewayRequest = { url: 'https://gw.example.com', standard: 'chat-completions', key } as const
const attemptDetails = { requestAddress: 'https://gw.example.com/v1/chat/completions', durationMs: 5 }
const createRefusal = (code: 'gateway.modelNotInPlan' | 'gateway.keyRejected', status: number): ProbeOutcome => ({
  ok: false,
  ...attemptDetails,
  status,
  failure: { code, message: 'no' },
})
const check = (outcome: ProbeOutcome) =>
  createGatewayCheck(
    async () => outcome,
    () => new Date('2026-01-01T00:00:00Z'),
  )

describe('createGatewayCheck', () => {
  it('passes with a rejected model when no model code is known, since key and plan were accepted', async () => {
    const view = await check(createRefusal('gateway.modelNotInPlan', 403))(gatewayRequest)
    expect(view).toMatchObject({ ok: true, requestAddress: attemptDetails.requestAddress })
    expect(view.modelCode).toBeUndefined()
  })

  it('fails with a rejected model when a model code was given', async () => {
    const view = await check(createRefusal('gateway.modelNotInPlan', 403))({ ...gatewayRequest, modelCode: 'm' })
    expect(view).toMatchObject({ ok: false, modelCode: 'm', status: 403, failure: { code: 'gateway.modelNotInPlan' } })
  })

  it('never passes with a rejected key', async () => {
    expect(await check(createRefusal('gateway.keyRejected', 401))(gatewayRequest)).toMatchObject({ ok: false })
  })

  it('omits counts that the gateway did not send, and shortens a long answer', async () => {
    const outcome: ProbeOutcome = {
      ok: true,
      ...attemptDetails,
      status: 200,
      model: 'm',
      text: 'x'.repeat(999),
      usage: { outputTokens: 3 },
    }
    const view = await check(outcome)({ ...gatewayRequest, modelCode: 'm' })
    expect(view).toMatchObject({ ok: true, outputTokens: 3, answer: 'x'.repeat(300) })
    expect(JSON.parse(JSON.stringify(view))).not.toHaveProperty('inputTokens')
  })
})
