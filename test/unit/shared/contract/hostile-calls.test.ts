import { contract } from '@shared/contract'
import { expect, it } from 'vitest'
import { createSeededRandom, HostileCalls, methodNames } from '../../../support/hostile-calls'

const hostileFields = {
  serverUrl: 'http://127.0.0.1:4999',
  databaseUrl: 'postgres://attacker@127.0.0.1:4998/theirs',
  command: ['/bin/sh', '-c', 'true'],
  file: '/outside/private.txt',
  folder: '/outside/project',
}

it('the page attack reaches the handler of every method, since some inputs fit the contract', () => {
  const calls = new HostileCalls(hostileFields, createSeededRandom(1))
  const canMatchSchema = (name: (typeof methodNames)[number]): boolean => {
    for (let tryCount = 0; tryCount < 300; tryCount += 1) {
      if (contract[name].input.safeParse(calls.of(name).input).success) return true
    }
    return false
  }
  expect(methodNames.filter((name) => !canMatchSchema(name))).toEqual([])
})

it('the attack points addresses, commands and paths at the attacker', () => {
  const calls = new HostileCalls(hostileFields, createSeededRandom(1))
  const text = Array.from({ length: 20 }, () => JSON.stringify(calls.round())).join('')
  const { serverUrl, databaseUrl, file, folder } = hostileFields
  for (const hostileText of [
    serverUrl,
    databaseUrl,
    `"endpoint":"${serverUrl}"`,
    '"/bin/sh"',
    file,
    folder,
    '$held',
    '$pending',
  ])
    expect(text).toContain(hostileText)
  calls.learn({ plans: [{ id: 'plan-7', keys: [{ keyId: 'key-7' }] }] })
  const nextRoundsText = Array.from({ length: 20 }, () => JSON.stringify(calls.round())).join('')
  expect([nextRoundsText.includes('plan-7'), nextRoundsText.includes('key-7')]).toEqual([true, true])
})
