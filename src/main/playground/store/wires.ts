import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { PlaygroundWire } from '@shared/contract/playground'
import { parsed, type Store } from './store'

/** Of one request and its answer, compressed. */
const mostBytes = 2_000_000
/** Of each body, in characters: more would keep the thread busy, and rarely fits. */
const mostCharacters = 10_000_000

/** Keeps what went over the wire, shortened when it is too much; the oldest go when there is too much of them together. */
export function keepWire({ db, wireBytes }: Store, run: number, wire: PlaygroundWire): void {
  const packed = packedWithin(wire)
  db.run('DELETE FROM wires WHERE run = ?', run)
  db.run('INSERT INTO wires (run, bytes, wire) VALUES (?, ?, ?)', run, packed.length, packed)
  while ((db.row('SELECT wire_bytes FROM state')?.number(0) ?? 0) > wireBytes) {
    db.run('DELETE FROM wires WHERE run = (SELECT min(run) FROM wires)')
  }
}

/** What went over the wire for a run, as long as it is kept. */
export function wireOf({ db }: Store, run: number): PlaygroundWire | undefined {
  const packed = db.bytes('SELECT CAST(wire AS BLOB) FROM wires WHERE run = ?', run)
  return packed && parsed(PlaygroundWire, inflateRawSync(packed).toString('utf8'))
}

function packedWithin(wire: PlaygroundWire): Uint8Array {
  let most = Math.min(mostCharacters, Math.max(wire.requestBody.length, wire.answerBody.length))
  let packed = pack(shortened(wire, most))
  while (packed.length > mostBytes) {
    most = Math.floor((0.9 * most * mostBytes) / packed.length)
    packed = pack(shortened(wire, most))
  }
  return packed
}

const pack = (wire: PlaygroundWire): Uint8Array => deflateRawSync(JSON.stringify(wire))

const shortened = (wire: PlaygroundWire, most: number): PlaygroundWire => ({
  ...wire,
  requestBody: endsOf(wire.requestBody, most),
  answerBody: endsOf(wire.answerBody, most),
  isShortened: wire.isShortened || wire.answerBody.length > most,
})

/** Beginning and end of a text of more than `most` characters. */
const endsOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most / 2)}\n…\n${text.slice(text.length - most / 2)}`
