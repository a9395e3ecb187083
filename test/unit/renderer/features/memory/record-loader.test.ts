import { describe, expect, it } from 'vitest'
import { RecordLoader, scanSet } from '../../../../../src/renderer/features/memory/use-records'
import { CallError } from '../../../../../src/renderer/ipc'

type RecordPorts = ConstructorParameters<typeof RecordLoader>[0]

const refused = new CallError({ code: 'api.badRequest', message: 'limit must be at most 1000' })

/** A platform with so many records, which gives no more than `most` at once; `hold` waits with lists longer than a hundred. */
function platform(total: number, most = Number.POSITIVE_INFINITY, hold?: Promise<void>) {
  const open = new Map<string, number>()
  const limits: number[] = []
  const cancelled: string[] = []
  const record = (place: number) => ({ id: `r${place}` })
  const some = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from) }, (_, at) => record(from + at))
  const ports: RecordPorts = {
    open: async ({ limit, first, callId }) => {
      limits.push(limit)
      if (limit > 100) await hold
      if (cancelled.includes(callId)) throw new CallError({ code: 'net.cancelled', message: 'cancelled' })
      if (limit > most) throw refused
      const count = Math.min(total, limit)
      const setId = `set${limits.length}`
      open.set(setId, count)
      return { setId, total: count, rows: some(0, Math.min(first, count)) }
    },
    slice: async (setId, from, count) => some(from, Math.min(open.get(setId) ?? 0, from + count)),
    close: (setId) => open.delete(setId),
    cancel: (callId) => cancelled.push(callId),
  }
  return { ports, open, limits }
}

describe('loading the records of a namespace', () => {
  it('asks for a hundred, and for no more when there are fewer', async () => {
    const { ports, limits } = platform(40)
    const loader = new RecordLoader(ports, 100_000)
    await loader.load()
    expect(limits).toEqual([100])
    expect(loader.state().set?.total).toBe(40)
  })

  it('then asks for all of them, lets go of the first list, and knows that places still hold', async () => {
    const { ports, limits, open } = platform(100_000)
    const loader = new RecordLoader(ports, 100_000)
    await loader.load()
    expect(limits).toEqual([100, 100_000])
    expect(loader.state()).toMatchObject({ asking: undefined, generation: 1, set: { total: 100_000 } })
    expect([...open.values()]).toEqual([100_000])
    loader.close()
    expect(open.size).toBe(0)
  })

  it('asks for fewer when the platform refuses so many, and says what it refused', async () => {
    const { ports, limits } = platform(5000, 1000)
    const loader = new RecordLoader(ports, 100_000)
    await loader.load()
    expect(limits).toEqual([100, 100_000, 10_000, 1000])
    expect(loader.state()).toMatchObject({ refused: 10_000, failure: undefined, set: { total: 1000 } })
  })

  it('keeps the first hundred when the rest is stopped', async () => {
    let go = (): void => undefined
    const hold = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ports, open } = platform(100_000, undefined, hold)
    const loader = new RecordLoader(ports, 100_000)
    const isAskingAll = new Promise<void>((resolve) => {
      loader.subscribe(() => {
        if (loader.state().asking === 100_000) resolve()
      })
    })
    const loading = loader.load()
    await isAskingAll
    loader.stop()
    go()
    await loading
    expect(loader.state()).toMatchObject({
      isStopped: true,
      asking: undefined,
      failure: undefined,
      set: { total: 100 },
    })
    expect(open.size).toBe(1)
  })

  it('says why nothing came', async () => {
    const loader = new RecordLoader({ ...platform(1).ports, open: () => Promise.reject(refused) }, 100)
    await loader.load()
    expect(loader.state()).toMatchObject({ set: undefined, failure: { code: 'api.badRequest' } })
  })

  it('looks through all that main holds, and keeps the places of what fits', async () => {
    const { ports } = platform(2000)
    await ports.open({ limit: 2000, first: 1, callId: 'c' })
    const told: number[] = []
    let found: readonly number[] = []
    await scanSet({
      total: 2000,
      find: 'R1999',
      slice: (from, count) => ports.slice('set1', from, count),
      tell: (places, looked) => {
        found = places
        told.push(looked)
      },
      isStopped: () => false,
    })
    expect(found).toEqual([1999])
    expect(told).toEqual([500, 1000, 1500, 2000])
  })
})
