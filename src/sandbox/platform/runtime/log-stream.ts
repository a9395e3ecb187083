import type { Runtime, RuntimeVersion } from '../../state/runtime-state'
import { hash } from '../../text-model/hash'

/** What one version of a runtime says, from its creation until, not including, `endsMs`. Nothing of it is stored. */
export interface LogStream {
  readonly key: string
  readonly version: RuntimeVersion
  readonly endsMs: number
}

const bootMs: readonly number[] = [0, 400, 1_200, 2_400]
const slotMs = 7_500
const jitterMs = 2_500

/** A version begins with a few lines about its start. */
export const bootLines = bootMs.length

const bornMs = ({ version }: LogStream): number => Date.parse(version.createdAt)

/** When the line with an index (from 0) is written: after the start, one line every 5 to 10 s. */
export function lineAtMs(stream: LogStream, index: number): number {
  const bootAt = bootMs[index]
  if (bootAt !== undefined) return bornMs(stream) + bootAt
  return bornMs(stream) + (index - bootLines + 1) * slotMs + (hash(`${stream.key}|${index}|at`) % jitterMs)
}

/** How many lines were written until a moment. */
export function countLines(stream: LogStream, nowMs: number): number {
  const untilMs = Math.min(nowMs, stream.endsMs - 1)
  const elapsedMs = untilMs - bornMs(stream)
  const boot = bootMs.filter((ms) => ms <= elapsedMs).length
  const slots = Math.max(Math.floor(elapsedMs / slotMs), 0)
  const isLastWritten = lineAtMs(stream, boot + slots - 1) <= untilMs
  return boot + slots - (isLastWritten || slots === 0 ? 0 : 1)
}

/** All that one version says, without an end: the log of an endpoint that points at it. */
export function streamOf({ id }: Runtime, version: RuntimeVersion): LogStream {
  return { key: `${id}|${version.version}`, version, endsMs: Number.POSITIVE_INFINITY }
}

/** The log of a runtime, newest part first: each version speaks until the next one takes over. */
export function streamsOf(runtime: Runtime): readonly LogStream[] {
  const { versions } = runtime
  return versions
    .map((version, index) => {
      const next = versions[index + 1]
      return { ...streamOf(runtime, version), endsMs: next ? Date.parse(next.createdAt) : Number.POSITIVE_INFINITY }
    })
    .toReversed()
}
