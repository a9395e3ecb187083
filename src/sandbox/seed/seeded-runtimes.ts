import type { Runtime, RuntimeEndpoint, RuntimeState, RuntimeVersion } from '../state/runtime-state'
import { at, dayMs, hourOf } from './moments'

interface RuntimeSketch {
  readonly name: string
  readonly description: string
  readonly days: number
  readonly versions: number
  readonly replicas: number
  /** Endpoint names and the versions they point at. */
  readonly endpoints: readonly (readonly [name: string, version: number])[]
}

const sketches: readonly RuntimeSketch[] = [
  {
    name: 'support-agent',
    description: 'Customer support of the online shop',
    days: 38,
    versions: 7,
    replicas: 3,
    endpoints: [
      ['production', 6],
      ['staging', 7],
    ],
  },
  {
    name: 'travel-planner',
    description: 'Plans trips',
    days: 31,
    versions: 4,
    replicas: 2,
    endpoints: [
      ['production', 4],
      ['preview', 3],
    ],
  },
  {
    name: 'code-reviewer',
    description: 'Reviews merge requests',
    days: 24,
    versions: 11,
    replicas: 2,
    endpoints: [['production', 11]],
  },
  {
    name: 'invoice-reader',
    description: 'Reads invoices from the mailbox',
    days: 12,
    versions: 2,
    replicas: 1,
    endpoints: [['production', 1]],
  },
  {
    name: 'nightly-report',
    description: 'Writes the report of the day',
    days: 5,
    versions: 1,
    replicas: 1,
    endpoints: [],
  },
]

const flavorIds = ['flavor-small', 'flavor-medium'] as const

function seededVersion(
  { name, description, versions, replicas, days }: RuntimeSketch,
  version: number,
  bornMs: number,
): RuntimeVersion {
  const isEarly = version <= versions / 2
  const config = {
    name,
    description,
    image: `agents/${name}:1.${Math.floor(version / 5)}.${version % 5}`,
    flavorId: flavorIds[isEarly ? 0 : 1],
    replicas: isEarly ? 1 : replicas,
    cpuUtilizationThreshold: isEarly ? 50 : 65,
    memoryUtilizationThreshold: 70,
    environment: { LOG_LEVEL: isEarly ? 'debug' : 'info', MODEL: version > 2 ? 'aurora-large' : 'aurora-small' },
  }
  return { version, createdAt: at(Math.round(bornMs + (((version - 1) * (days - 0.5)) / versions) * dayMs)), config }
}

function seededRuntime(sketch: RuntimeSketch, nowMs: number): Runtime {
  const bornMs = hourOf(nowMs) - sketch.days * dayMs
  const id = `runtime-${sketch.name}`
  const versions = Array.from({ length: sketch.versions }, (_, index) => seededVersion(sketch, index + 1, bornMs))
  const createdAt = at(bornMs)
  const updatedAt = versions.at(-1)?.createdAt ?? createdAt
  const endpoints = sketch.endpoints.map(
    ([name, version]): RuntimeEndpoint => ({ id: `${id}-${name}`, name, version, createdAt, updatedAt }),
  )
  return { id, readyAt: createdAt, secretGeneration: 0, versions, endpoints, createdAt, updatedAt }
}

/** Agents that have been running for some weeks, each with its history of versions. */
export function seededRuntimes(nowMs: number): RuntimeState {
  return { runtimes: sketches.map((sketch) => seededRuntime(sketch, nowMs)) }
}
