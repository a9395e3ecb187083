import type { Image, RegistryState, Repository } from '../state/registry-state'
import { at, dayMs, hourOf } from './moments'
import { createRandom } from './random'

const sketches = [
  { name: 'agents/support-agent', images: 14, days: 38 },
  { name: 'agents/travel-planner', images: 9, days: 31 },
  { name: 'agents/code-reviewer', images: 23, days: 24 },
  { name: 'agents/invoice-reader', images: 5, days: 12 },
  { name: 'tools/web-fetch', images: 3, days: 30 },
  { name: 'base/python-agent', images: 6, days: 39 },
  { name: 'sandbox/first-steps', images: 0, days: 1 },
] as const

const tagOf = (n: number): string => `1.${Math.floor(n / 5)}.${n % 5}`

function seededRepository(seed: string, sketch: (typeof sketches)[number], nowMs: number): Repository {
  const random = createRandom(seed, `registry|${sketch.name}`)
  const bornMs = hourOf(nowMs) - sketch.days * dayMs
  const stepMs = ((sketch.days - 0.5) * dayMs) / Math.max(1, sketch.images)
  const images: readonly Image[] = Array.from({ length: sketch.images }, (_, n) => ({
    name: tagOf(n),
    digest: `sha256:${random.hex(64)}`,
    sizeBytes: random.int(84_000_000, 412_000_000),
    pushedAt: at(Math.round(bornMs + stepMs * (n + random.next() * 0.6))),
  }))
  return {
    id: `repository-${sketch.name.replace('/', '-')}`,
    name: sketch.name,
    images,
    createdAt: at(bornMs),
    updatedAt: images.at(-1)?.pushedAt ?? at(bornMs),
  }
}

/** Repositories with images of some weeks, one of them empty, and two robot accounts. */
export function seededRegistry(seed: string, nowMs: number): RegistryState {
  const robot = (name: string, permissions: readonly string[], days: number) => {
    const moment = at(hourOf(nowMs) - days * dayMs)
    return { id: `robot-${name}`, name, permissions, createdAt: moment, updatedAt: moment }
  }
  return {
    repositories: sketches.map((sketch) => seededRepository(seed, sketch, nowMs)),
    robotAccounts: [robot('ci-push', ['pull', 'push'], 37), robot('runtime-pull', ['pull'], 37)],
  }
}
