import { createServer, type IncomingMessage } from 'node:http'
import { startLocalServer } from './local-server'

/**
 * A memory service with a million events and a hundred thousand records, with different field names than the sandbox.
 */
export interface LongMemory {
  readonly url: string
  /** Number of requests so far. */
  asked(): number
  stop(): Promise<void>
}

/** Number of records. */
export const longMemoryCounts = { events: 1_000_000, records: 100_000 } as const

const maxPerPage = 100
const startMs = Date.parse('2026-01-01T00:00:00Z')

const createEvent = (index: number) => ({
  event_uuid: `e-${longMemoryCounts.events - index}`,
  author: index % 2 === 0 ? 'human' : 'agent',
  timestamp: new Date(startMs + (longMemoryCounts.events - index) * 1000).toISOString(),
  message: { text: `what was said as number ${longMemoryCounts.events - index}` },
})

const createRecord = (index: number) => ({
  record_id: `r-${index}`,
  fact: `fact number ${index} of the user${index % 1000 === 7 ? ' about marmalade' : ''}`,
  user_id: 'ada',
  thread_id: 'thread-1',
  created: new Date(startMs + index * 1000).toISOString(),
})

const createRows = <T>(from: number, to: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, offset) => make(from + offset))

const buildPage = (query: URLSearchParams, total: number, make: (index: number) => unknown) => {
  const page = Number(query.get('page') ?? 1)
  const size = Math.min(maxPerPage, Number(query.get('size') ?? 20))
  const rowOffset = (page - 1) * size
  return {
    listData: createRows(rowOffset, Math.min(total, rowOffset + size), make),
    totalItem: total,
    totalPage: Math.ceil(total / size),
  }
}

const memoryRow = { uuid: 'm-1', title: 'archive', keep: { days: 30 } }

function answer({ url = '/' }: IncomingMessage): unknown {
  const { pathname, searchParams } = new URL(url, 'http://memory.test')
  if (pathname === '/memories') return buildPage(searchParams, 1, () => memoryRow)
  if (pathname === '/memories/m-1') return memoryRow
  if (pathname.endsWith('/actors')) return buildPage(searchParams, 1, () => ({ user_id: 'ada', threads: ['thread-1'] }))
  if (pathname.endsWith('/events')) return buildPage(searchParams, longMemoryCounts.events, createEvent)
  if (pathname.endsWith('/memory-records')) {
    return {
      items: createRows(0, Math.min(longMemoryCounts.records, Number(searchParams.get('limit') ?? 100)), createRecord),
    }
  }
  if (pathname.endsWith('/long-term-memory-strategies')) return { strategies: [{ uuid: 's-1', label: 'facts' }] }
  return undefined
}

export async function startLongMemory(): Promise<LongMemory> {
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount += 1
    const body = answer(request)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { detail: 'There is nothing here.' }))
  })
  return { ...(await startLocalServer(server)), asked: () => requestCount }
}
