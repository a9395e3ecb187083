import { describe, expect, test } from 'vitest'
import { type Console, startConsole } from '../console-bench'

async function startWithPlan() {
  const console = await startConsole()
  const { planId } = await console.buy()
  const [first] = await console.keys(planId)
  const keysPath = `/token-plans/${planId}/keys`
  const add = (name: unknown) => console.call('POST', keysPath, { name })
  return { ...console, planId, base: keysPath, first, add }
}

const readUsedKeyCount = async ({ plan }: Pick<Console, 'plan'>, planId: string) => (await plan(planId)).keysUsed

describe('adding a key', () => {
  test('creates an active key for every model of the plan', async () => {
    const { add, keys, planId, gateway, plan } = await startWithPlan()
    const { status, body } = await add('Máy của Lan')
    expect([status, body]).toEqual([
      201,
      {
        keyId: expect.stringMatching(/^key-[0-9a-f]{16}$/),
        name: 'Máy của Lan',
        status: 'ACTIVE',
        key: expect.stringMatching(/^sk-sandbox-[0-9a-f]{40}$/),
        createdAt: expect.stringMatching(/Z$/),
      },
    ])
    expect((await keys(planId))[1]).toEqual(body)
    for (const { modelCode } of (await plan(planId)).models) expect(await gateway(body.key, modelCode)).toBe(200)
    expect(await gateway(body.key, 'lotus-vi')).toBe(403)
  })

  test('stops at Max keys of the plan, including disabled ones, without deleted ones', async () => {
    const { add, call, base, plan, planId, first } = await startWithPlan()
    expect(await readUsedKeyCount({ plan }, planId)).toBe(1)
    for (const name of ['2', '3', '4', '5']) expect((await add(name)).status).toBe(201)
    expect(await readUsedKeyCount({ plan }, planId)).toBe(5)
    const extraKeyResponse = await add('6')
    expect([extraKeyResponse.status, extraKeyResponse.body.code]).toEqual([409, 'KEY_LIMIT_REACHED'])
    await call('PATCH', `${base}/${first.keyId}`, { status: 'DISABLED' })
    expect([await readUsedKeyCount({ plan }, planId), (await add('6')).status]).toEqual([5, 409])
    await call('DELETE', `${base}/${first.keyId}`)
    expect(await readUsedKeyCount({ plan }, planId)).toBe(4)
    expect([(await add('6')).status, (await add('7')).status]).toEqual([201, 409])
  })

  const names = [
    ['k', 201, 'k'],
    ['n'.repeat(50), 201, 'n'.repeat(50)],
    ['n'.repeat(51), 400, undefined],
    ['', 400, undefined],
    ['   ', 400, undefined],
    ['  Lan, MacBook (việc) #1 ', 201, 'Lan, MacBook (việc) #1'],
    [` ${'n'.repeat(50)} `, 201, 'n'.repeat(50)],
    ['😀'.repeat(50), 201, '😀'.repeat(50)],
    ['😀'.repeat(51), 400, undefined],
  ] as const
  test.each(names)('named %j answers %i', async (name, status, storedName) => {
    const { add, call, base, first } = await startWithPlan()
    const response = await add(name)
    expect([response.status, response.body.name]).toEqual([status, storedName])
    const renameAnswer = await call('PATCH', `${base}/${first.keyId}`, { name })
    expect([renameAnswer.status, renameAnswer.body.name]).toEqual([status === 201 ? 200 : 400, storedName])
    if (status === 400) expect([response.body.code, renameAnswer.body.code]).toEqual(['INVALID_NAME', 'INVALID_NAME'])
  })
})

describe('a key', () => {
  test('that is deleted is rejected from the next request, and others stay', async () => {
    const { call, base, first, gateway, keys, planId, add } = await startWithPlan()
    const otherKey = (await add('other')).body
    expect(await call('DELETE', `${base}/${first.keyId}`)).toEqual({ status: 204, body: undefined })
    expect([await gateway(first.key), await gateway(otherKey.key)]).toEqual([401, 200])
    expect(await keys(planId)).toEqual([otherKey])
    for (const [method, body] of [['DELETE'], ['PATCH', { status: 'ACTIVE' }]] as const) {
      expect((await call(method, `${base}/${first.keyId}`, body)).status).toBe(404)
    }
  })

  test('of another plan or without a plan is a 404', async () => {
    const { call, base, buy, keys } = await startWithPlan()
    const otherKey = await buy({ name: 'other' })
    const [{ keyId }] = await keys(otherKey.planId)
    for (const id of [keyId, 'key-nobody']) {
      for (const [method, body] of [['DELETE'], ['PATCH', { status: 'DISABLED' }]] as const) {
        const response = await call(method, `${base}/${id}`, body)
        expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND'])
      }
    }
    expect((await keys(otherKey.planId))[0].status).toBe('ACTIVE')
  })
})
