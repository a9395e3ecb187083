import { z } from 'zod'
import { type Call, ok, type Reply } from '../operation'
import { wholeBetween } from './config'
import { findEndpoint, findRuntime } from './kept'
import { type LogLine, lineOf } from './log-lines'
import { countLines, type LogStream, streamOf, streamsOf } from './log-stream'

/** Which part of a log is asked for (spec, "Limits"); that `from` counts back from the newest line, and the defaults, are ours. */
const LogRange = z.looseObject({
  from: wholeBetween(0, 5_000).default(0),
  limit: wholeBetween(1, 1_000).default(100),
})

/** The lines of some streams, newest first, without the first `from`. */
function newestLines(
  streams: readonly LogStream[],
  nowMs: number,
  { from, limit }: z.infer<typeof LogRange>,
): readonly LogLine[] {
  const lines: LogLine[] = []
  let skipped = from
  for (const stream of streams) {
    const count = countLines(stream, nowMs)
    for (let index = count - 1 - skipped; index >= 0 && lines.length < limit; index -= 1) {
      lines.push(lineOf(stream, index))
    }
    skipped = Math.max(skipped - count, 0)
  }
  return lines
}

async function answerLogs({ store, body }: Call, streams: () => readonly LogStream[]): Promise<Reply> {
  streams()
  const range = await body(LogRange)
  const nowMs = store.nowMs()
  const parts = streams()
  const total = parts.reduce((sum, stream) => sum + countLines(stream, nowMs), 0)
  return ok({ from: range.from, limit: range.limit, total, lines: newestLines(parts, nowMs, range) })
}

/** The log of a runtime through all of its versions. */
export function runtimeLogs(call: Call): Promise<Reply> {
  return answerLogs(call, () => streamsOf(findRuntime(call.store, call.params.id)))
}

/** The log of the version that an endpoint points at. */
export function endpointLogs(call: Call): Promise<Reply> {
  return answerLogs(call, () => {
    const runtime = findRuntime(call.store, call.params.id)
    const endpoint = findEndpoint(runtime, call.params.endpointId)
    return runtime.versions
      .filter(({ version }) => version === endpoint.version)
      .map((version) => streamOf(runtime, version))
  })
}
