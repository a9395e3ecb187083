import { describe, expect, it } from 'vitest'
import { Connections } from '../../../../src/main/features/connections'
import { memorySettings } from '../../../support/memory-settings'

const make = () => new Connections({ settings: memorySettings(), clock: () => new Date('2026-01-01T00:00:00Z') })

describe('Connections', () => {
  it('puts addresses right on entry and tells every correction', () => {
    const { connection, corrections } = make().save({
      name: 'work',
      addresses: {
        tokenPlanUrl: 'https://gw.example.com/v1/',
        identityApiUrl: 'https://iam.example.com/api/v1/',
        inferenceUrl: 'https://inference.example.com/v1',
        registryHost: 'registry.example.com',
        runtimeApiUrl: '  ',
      },
    })
    expect(connection.addresses).toEqual({
      tokenPlanUrl: 'https://gw.example.com',
      identityApiUrl: 'https://iam.example.com/api/v1',
      inferenceUrl: 'https://inference.example.com/v1',
      registryHost: 'registry.example.com',
    })
    expect(corrections).toContainEqual({ field: 'tokenPlanUrl', correction: 'suffixRemoved' })
    expect(corrections).toContainEqual({ field: 'identityApiUrl', correction: 'trailingSlashRemoved' })
  })

  it.each([
    ['consoleUrl', 'http://console.example.com', 'address.insecure'],
    ['memoryApiUrl', 'https://me:pw@memory.example.com', 'address.credentials'],
    ['aipApiUrl', 'ftp://aip.example.com', 'address.scheme'],
    ['tokenPlanUrl', 'https://gw.example.com/console', 'address.path'],
  ] as const)('refuses %s = %s and names the field', (field, text, code) => {
    const connections = make()
    expect(() => connections.save({ name: 'work', addresses: { [field]: text } })).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code, field }) }),
    )
    expect(connections.list()).toEqual([])
  })

  it('accepts http for loopback hosts, with a path', () => {
    const { connection } = make().save({ name: 'local', addresses: { consoleUrl: 'http://127.0.0.1:4861/console' } })
    expect(connection.addresses.consoleUrl).toBe('http://127.0.0.1:4861/console')
  })

  it('changes one in place, keeps names apart, removes', () => {
    const connections = make()
    const { connection } = connections.save({ name: 'a', addresses: {} })
    connections.save({ name: 'b', addresses: {} })
    expect(() => connections.save({ id: connection.id, name: 'b', addresses: {} })).toThrow('already')
    connections.save({ id: connection.id, name: 'c', addresses: {} })
    expect(connections.list().map(({ name }) => name)).toEqual(['c', 'b'])
    connections.remove(connection.id)
    expect(connections.list().map(({ name }) => name)).toEqual(['b'])
    expect(() => connections.save({ id: connection.id, name: 'd', addresses: {} })).toThrow('no longer')
  })
})
