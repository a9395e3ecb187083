import type { Memory, MemoryEvent, MemoryRecord, MemoryState, Session, Strategy } from '../state/memory-state'
import { type Theme, themes } from './conversations'
import { at, dayMs, hourMs, hourOf } from './moments'
import { createRandom, type Random } from './random'

const people = [
  'an.nguyen',
  'binh.le',
  'chi.pham',
  'dung.vo',
  'giang.do',
  'ha.tran',
  'hieu.bui',
  'khanh.ly',
  'lan.dang',
  'linh.ho',
  'mai.duong',
  'minh.phan',
  'nam.vu',
  'nga.truong',
  'oanh.lam',
  'phuc.cao',
  'quan.dinh',
  'son.mai',
  'tam.huynh',
  'vy.ngo',
] as const

const minuteMs = 60_000

interface Talk {
  readonly session: Session
  readonly records: readonly MemoryRecord[]
}

function strategiesOf(name: string): readonly Strategy[] {
  const make = (type: Strategy['type'], word: string, below: string): Strategy => ({
    id: `strategy-${name}-${word}`,
    name: word,
    type,
    namespace: `/strategies/{strategyId}/actors/{actorId}${below}`,
  })
  return [
    make('SEMANTIC', 'facts', ''),
    make('USER_PREFERENCE', 'preferences', ''),
    make('SUMMARY', 'summaries', '/sessions/{sessionId}'),
  ]
}

function namespaceOf({ id, namespace }: Strategy, actorId: string, sessionId: string): string {
  return namespace.replace('{strategyId}', id).replace('{actorId}', actorId).replace('{sessionId}', sessionId)
}

/** One session: some turns, in which the person tells something about themselves now and then. */
function talk(given: {
  theme: Theme
  strategies: readonly Strategy[]
  random: Random
  actorId: string
  fromMs: number
}): Talk {
  const { theme, strategies, random, actorId, fromMs } = given
  const sessionId = `session-${random.hex(8)}`
  const events: MemoryEvent[] = []
  const records: MemoryRecord[] = []
  let nowMs = fromMs
  const say = (role: string, content: string) => {
    nowMs += random.int(4, 90) * 1000
    events.push({ id: `event-${random.hex(12)}`, role, content, createdAt: at(nowMs) })
  }
  const keep = (type: Strategy['type'], content: string) => {
    const strategy = strategies.find((one) => one.type === type)
    if (strategy === undefined) return
    const namespace = namespaceOf(strategy, actorId, sessionId)
    const ids = { id: `record-${random.hex(12)}`, longTermMemoryStrategyId: strategy.id, actorId, sessionId }
    records.push({ ...ids, namespace, content, createdAt: at(nowMs + minuteMs) })
  }
  const asked: string[] = []
  for (let turn = random.int(2, 9); turn > 0; turn -= 1) {
    const [question, answer] = random.pick(theme.turns)
    asked.push(question)
    say('user', question)
    if (random.next() < 0.3) {
      const { said, kept, kind } = random.pick(theme.facts)
      say('user', said)
      keep(kind, kept)
    }
    say('assistant', answer)
  }
  if (random.next() < 0.5) keep('SUMMARY', `${actorId} asked: ${asked.slice(0, 3).join(' ')}`)
  return { session: { actorId, sessionId, events }, records }
}

function seededMemory(theme: Theme, random: Random, nowMs: number): Memory {
  const strategies = strategiesOf(theme.name)
  const ageDays = Math.min(38, theme.eventExpiryDuration - 1)
  const talks = Array.from({ length: theme.actors }, (_, index) => {
    const actorId = index < people.length ? (people[index] ?? 'guest') : `guest-${String(index).padStart(3, '0')}`
    return Array.from({ length: random.int(1, 5) }, () => {
      const fromMs = hourOf(nowMs) - random.int(0, ageDays * 24) * hourMs - hourMs
      return talk({ theme, strategies, random, actorId, fromMs })
    })
  }).flat()
  const createdAt = at(hourOf(nowMs) - 39 * dayMs)
  const { name, description, eventExpiryDuration } = theme
  return {
    id: `memory-${name}`,
    name,
    description,
    eventExpiryDuration,
    readyAt: createdAt,
    strategies,
    sessions: talks.map(({ session }) => session),
    records: talks.flatMap(({ records }) => records),
    createdAt,
    updatedAt: createdAt,
  }
}

/** A dozen memories with thousands of events; the last one is empty, so that this can be seen too. */
export function seededMemories(seed: string, nowMs: number): MemoryState {
  const createdAt = at(hourOf(nowMs) - 2 * hourMs)
  const empty: Memory = {
    id: 'memory-sandbox',
    name: 'first-steps',
    description: 'Empty: add an event to see it grow',
    eventExpiryDuration: 90,
    readyAt: createdAt,
    strategies: strategiesOf('first-steps'),
    sessions: [],
    records: [],
    createdAt,
    updatedAt: createdAt,
  }
  const full = themes.map((theme) => seededMemory(theme, createRandom(seed, `memory|${theme.name}`), nowMs))
  return { memories: [...full, empty] }
}
