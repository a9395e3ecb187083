import { describe, expect, test } from 'vitest'
import { getSeededWorld, startHarness } from '../support'

/**
 * Tests of the spec's table "Pagination envelopes", for every list of its sections "Endpoints", A (our console
 * contract) and B.
 */

interface Envelope {
  readonly firstPage: 0 | 1
  readonly items: string
  readonly totalItems: string
  readonly totalPages: string
}

const springEnvelope: Envelope = {
  firstPage: 0,
  items: 'content',
  totalItems: 'totalElements',
  totalPages: 'totalPages',
}
const list: Envelope = { firstPage: 1, items: 'listData', totalItems: 'totalItem', totalPages: 'totalPage' }

const session = async (harness: Awaited<ReturnType<typeof startHarness>>) => {
  const [actor] = (await harness.api('GET', '/memory/memories/memory-support-agent/actors?page=1&size=1')).body.listData
  return `/memory/memories/memory-support-agent/actors/${actor.actorId}/sessions/${actor.sessions[0].sessionId}/events`
}

const lists: readonly (readonly [name: string, envelope: Envelope, path: string | typeof session])[] = [
  ['Access control: agent identities', springEnvelope, '/identity/api/v1/agent-identities'],
  ['Access control: static API-key providers', springEnvelope, '/identity/api/v1/outbound-auth/api-key-providers'],
  ['Access control: delegated providers', springEnvelope, '/identity/api/v1/outbound-auth/delegated-api-key-providers'],
  ['Access control: OAuth2 providers', springEnvelope, '/identity/api/v1/outbound-auth/oauth2-providers'],
  ['Runtime: runtimes', list, '/runtime/agent-runtimes'],
  ['Runtime: endpoints', list, '/runtime/agent-runtimes/runtime-support-agent/endpoints'],
  ['Runtime: versions', list, '/runtime/agent-runtimes/runtime-support-agent/versions'],
  ['Memory: memories', list, '/memory/memories'],
  ['Memory: actors', list, '/memory/memories/memory-support-agent/actors'],
  ['Memory: events', list, session],
  ['Registry: repositories', list, '/registry/v1/repository'],
  ['Registry: robot accounts', list, '/registry/v1/user'],
  ['Registry: images', list, '/registry/v1/repository/repository-agents-code-reviewer/images?name='],
  ['Models and API keys: API keys', list, '/aip/v1/api-keys'],
  ['Models and API keys: models', list, '/aip/v1/models'],
  ['Console (ours): packages', list, '/console/packages'],
  ['Console (ours): plans', list, '/console/token-plans'],
  ['Console (ours): keys', list, '/console/token-plans/plan-sandbox-team/keys'],
]

describe.each(lists)('%s', (_name, envelope, pathSource) => {
  const { firstPage, items, totalItems, totalPages } = envelope
  const openSandbox = async () => {
    const harness = await startHarness({ begin: getSeededWorld })
    const path = typeof pathSource === 'string' ? pathSource : await pathSource(harness)
    return (query: string) => harness.api('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)
  }

  test(`starts with page ${firstPage} and continues to the end without loss or repetition`, async () => {
    const get = await openSandbox()
    const firstList = await get(`page=${firstPage}&size=2`)
    expect(firstList.status).toBe(200)
    const totalCount = firstList.body[totalItems]
    expect(firstList.body[totalPages]).toBe(Math.ceil(totalCount / 2))
    const rows = [...firstList.body[items]]
    for (let page = firstPage + 1; page < firstPage + firstList.body[totalPages]; page += 1) {
      rows.push(...(await get(`page=${page}&size=2`)).body[items])
    }
    expect(rows).toHaveLength(totalCount)
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(totalCount)
    expect(totalCount).toBeGreaterThan(0)
  })

  test('returns an empty page beyond the last, and at most 100 rows', async () => {
    const get = await openSandbox()
    const { status, body } = await get('page=9999&size=5000')
    expect([status, body[items], body.size]).toEqual([200, [], 100])
    expect(body[totalItems]).toBeGreaterThan(0)
  })

  const invalidPages = [`page=${firstPage - 1}`, 'page=-1', 'page=one', 'page=1.5']
  test('returns 400 for an invalid page or size', async () => {
    const get = await openSandbox()
    for (const query of [...invalidPages, `page=${firstPage}&size=0`, `page=${firstPage}&size=x`]) {
      const { status, body } = await get(query)
      expect([query, status, body.message]).toEqual([query, 400, expect.stringMatching(/page|size/)])
    }
  })
})
