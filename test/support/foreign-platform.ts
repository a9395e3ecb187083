import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { startLocalServer } from './local-server'

type Row = Readonly<Record<string, unknown>>

const buildSpringPage = (content: readonly Row[]) => ({ content, totalElements: content.length, totalPages: 1 })
const listData = (rows: readonly Row[]) => ({ listData: rows, totalItem: rows.length, totalPage: 1 })

/** Its content. */
export const foreignRows = {
  identity: {
    callSign: 'amber',
    remit: 'Answers the mail',
    drawnUp: '2026-03-01',
    traits: { tier: 3, regions: ['north', 'south'], isTrusted: true },
  },
  memory: { memory_id: 'm-77', caption: 'Shop talk', forgets_after: 'P30D', holdings: { sayings: 12, findings: 4 } },
  repository: { repo_id: 'r-9', pathWithNamespace: 'agents/amber', blobTotal: 3, custodian: { team: 'mail' } },
  image: { reference: 'spring-build', sha: 'sha256:90ab', weight: 1024 },
  runtime: { deployment: 'amber-live', shape: '2x4', copies: 2, knobs: { cpuCeiling: 60, ramCeiling: 70 } },
} as const satisfies Readonly<Record<string, Row>>

const { identity, memory, repository, image, runtime } = foreignRows

/** Responses by method and path. Only the page envelopes follow the platform's specification. */
const answers: Readonly<Record<string, unknown>> = {
  'GET /identity/agent-identities': buildSpringPage([identity, { callSign: 'birch', remit: 'Plans the routes' }]),
  'GET /memory/memories': listData([memory]),
  'GET /memory/memories/m-77': { box: memory },
  'GET /memory/memories/m-77/actors': listData([{ speaker: 'lan', talks: ['t-1'] }]),
  'GET /registry/v1/repository': listData([repository]),
  'GET /registry/v1/repository/r-9': { found: repository },
  'GET /registry/v1/repository/r-9/images': listData([image]),
  'GET /runtime/agent-runtimes': listData([runtime]),
}

/** A platform whose responses have other field names than the sandbox's. `token` is the only accepted token. */
export interface ForeignPlatform {
  /** Base address without a trailing slash. The services are `/identity`, `/memory`, `/registry` and `/runtime`. */
  readonly url: string
  readonly token: string
  stop(): Promise<void>
}

const token = 'foreign-token-6d1f0c52ab'

function answer({ method = '', url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const isKnown = headers.authorization === `Bearer ${token}`
  const body = answers[`${method} ${url.split('?')[0]}`]
  const status = !isKnown ? 401 : body === undefined ? 404 : 200
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status === 200 ? body : { trouble: { wording: 'There is nothing here.' } }))
}

export const startForeignPlatform = async (): Promise<ForeignPlatform> => ({
  ...(await startLocalServer(createServer(answer))),
  token,
})
