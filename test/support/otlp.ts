/** Reads a field of a Protocol Buffers message. */
type Field =
  | readonly [name: string, kind: 'text' | 'bytes' | 'int' | 'fixed64' | 'double' | 'fixed64s' | 'doubles']
  | readonly [name: string, kind: Message, 'many'?]
interface Message {
  readonly [number: number]: Field
}

// The fields of opentelemetry/proto that metric and span exporters fill, by number.
const anyValueMessage: Message = {
  1: ['string', 'text'],
  2: ['bool', 'int'],
  3: ['int', 'int'],
  4: ['double', 'double'],
}
const keyValue: Message = { 1: ['key', 'text'], 2: ['value', anyValueMessage] }
const resource: Message = { 1: ['attributes', keyValue, 'many'], 2: ['dropped', 'int'] }
const pointFields = { 2: ['start', 'fixed64'], 3: ['time', 'fixed64'] } as const
const numberPoint: Message = {
  ...pointFields,
  4: ['double', 'double'],
  6: ['int', 'fixed64'],
  7: ['attributes', keyValue, 'many'],
}
const histogramPoint: Message = {
  ...pointFields,
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['counts', 'fixed64s'],
  7: ['bounds', 'doubles'],
  9: ['attributes', keyValue, 'many'],
  11: ['min', 'double'],
  12: ['max', 'double'],
}
const sum: Message = { 1: ['points', numberPoint, 'many'], 2: ['temporality', 'int'], 3: ['isMonotonic', 'int'] }
const gauge: Message = { 1: ['points', numberPoint, 'many'] }
const histogram: Message = { 1: ['points', histogramPoint, 'many'], 2: ['temporality', 'int'] }
const metric: Message = {
  1: ['name', 'text'],
  2: ['description', 'text'],
  3: ['unit', 'text'],
  5: ['gauge', gauge],
  7: ['sum', sum],
  9: ['histogram', histogram],
}
const scope: Message = { 1: ['name', 'text'], 2: ['version', 'text'] }
const metricsRequest: Message = {
  1: [
    'resources',
    { 1: ['resource', resource], 2: ['scopes', { 1: ['scope', scope], 2: ['metrics', metric, 'many'] }, 'many'] },
    'many',
  ],
}
const span: Message = {
  1: ['traceId', 'bytes'],
  2: ['spanId', 'bytes'],
  5: ['name', 'text'],
  6: ['kind', 'int'],
  3: ['traceState', 'text'],
  4: ['parent', 'bytes'],
  16: ['flags', 'int'],
  7: ['start', 'fixed64'],
  8: ['end', 'fixed64'],
  9: ['attributes', keyValue, 'many'],
  10: ['dropped', 'int'],
  12: ['droppedEvents', 'int'],
  14: ['droppedLinks', 'int'],
  15: ['status', { 2: ['message', 'text'], 3: ['code', 'int'] }],
}
const traceRequest: Message = {
  1: [
    'resources',
    { 1: ['resource', resource], 2: ['scopes', { 1: ['scope', scope], 2: ['spans', span, 'many'] }, 'many'] },
    'many',
  ],
}

// biome-ignore lint/suspicious/noExplicitAny: tests compare the values
type DecodedMessage = any

/** Parses a message. An unknown field fails the test. */
function parseMessage(bytes: Buffer, message: Message): DecodedMessage {
  const readFields: DecodedMessage = {}
  let position = 0
  const varint = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = bytes[position++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
  while (position < bytes.length) {
    const tag = varint()
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    const [name, kind, isRepeated] = message[number] ?? []
    if (name === undefined || kind === undefined) throw new Error(`field ${number} is not known`)
    let value: DecodedMessage
    if (wire === 0) value = varint()
    else if (wire === 1) {
      value = kind === 'double' ? bytes.readDoubleLE(position) : Number(bytes.readBigUInt64LE(position))
      position += 8
    } else if (wire === 5) {
      value = bytes.readUInt32LE(position)
      position += 4
    } else {
      const length = varint()
      value = readBlock(bytes.subarray(position, position + length), kind)
      position += length
    }
    if (isRepeated) readFields[name] = [...(readFields[name] ?? []), value]
    else readFields[name] = value
  }
  return readFields
}

function readBlock(bytes: Buffer, kind: Field[1]): DecodedMessage {
  if (typeof kind === 'object') return parseMessage(bytes, kind)
  if (kind === 'text') return bytes.toString()
  if (kind === 'bytes') return bytes.toString('hex')
  const allOffsets = Array.from({ length: bytes.length / 8 }, (_, index) => index * 8)
  return allOffsets.map((offset) =>
    kind === 'doubles' ? bytes.readDoubleLE(offset) : Number(bytes.readBigUInt64LE(offset)),
  )
}

const readAttributes = ({ attributes = [] }: DecodedMessage): Record<string, string | number> =>
  Object.fromEntries(
    attributes.map(({ key, value }: DecodedMessage) => [key, value.string ?? value.int ?? value.double ?? value.bool]),
  )

/** A data point of a metric at the collector. */
export interface OtlpPoint {
  readonly attributes: Record<string, string | number>
  readonly value: number
  /** Number of measurements, for a histogram only. */
  readonly count?: number
}

/** Metrics of an OTLP request by name. The value of a histogram point is its sum. */
export function readOtlpMetrics(bytes: Buffer): { unit: string; points: OtlpPoint[]; name: string }[] {
  const { resources = [] } = parseMessage(bytes, metricsRequest)
  return resources.flatMap(({ scopes }: DecodedMessage) =>
    scopes.flatMap(({ metrics }: DecodedMessage) =>
      metrics.map(({ name, unit, gauge: gaugeData, sum: added, histogram: spread }: DecodedMessage) => ({
        name,
        unit,
        points: (gaugeData ?? added ?? spread).points.map((dataPoint: DecodedMessage) => ({
          attributes: readAttributes(dataPoint),
          value: dataPoint.sum ?? dataPoint.int ?? dataPoint.double ?? 0,
          ...(spread ? { count: dataPoint.count ?? 0 } : {}),
        })),
      })),
    ),
  )
}

export function readOtlpSpans(
  bytes: Buffer,
): { name: string; attributes: Record<string, string | number>; ms: number; status?: number }[] {
  const { resources = [] } = parseMessage(bytes, traceRequest)
  return resources.flatMap(({ scopes }: DecodedMessage) =>
    scopes.flatMap(({ spans }: DecodedMessage) =>
      spans.map((spanMessage: DecodedMessage) => ({
        name: spanMessage.name,
        attributes: readAttributes(spanMessage),
        ms: (spanMessage.end - spanMessage.start) / 1e6,
        ...(spanMessage.status?.code === undefined ? {} : { status: spanMessage.status.code }),
      })),
    ),
  )
}
