import type { Json } from '../resources'
import { bareName, fieldOf, isObject, isPlain, textOf } from '../resources'
import { momentOf, timeNames } from './runtimes'

/** What was measured at a moment, in ms since 1970. */
export interface MetricPoint {
  readonly at: number
  readonly value: number
}

/** The processor or the memory over time, the oldest first. */
export interface MetricSeries {
  readonly id: 'cpu' | 'memory'
  readonly points: readonly MetricPoint[]
}

/** The fields that hold what is measured (decisions 5): the spec says CPU and RAM, and names no field. */
const measured = [
  ['cpu', ['cpu', 'cpuUsage', 'cpuUtilization', 'cpuPercent', 'cpuUsagePercent', 'processor']],
  [
    'memory',
    ['memory', 'ram', 'mem', 'memoryUsage', 'memoryUtilization', 'memoryPercent', 'ramUsage', 'ramPercent', 'memUsage'],
  ],
] as const

const valueNames = ['value', 'v', 'y', 'percent', 'usage', 'utilization', 'average', 'avg']
const pointsNames = ['points', 'values', 'data', 'series', 'datapoints', 'samples', 'items']
const labelNames = ['name', 'metric', 'label', 'type', 'id', 'key']

const numberOf = (value: Json | undefined): number | undefined => {
  const number = isPlain(value) && typeof value !== 'boolean' && value !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

function pointOf(row: Json, names: readonly string[]): MetricPoint | undefined {
  const [time, value] = Array.isArray(row) ? row : [fieldOf(row, timeNames), fieldOf(row, names)]
  const at = momentOf(time)
  const measure = numberOf(value)
  return at === undefined || measure === undefined ? undefined : { at, value: measure }
}

/** The points of a list, when every entry is one. */
function pointsOf(value: Json | undefined, names: readonly string[] = valueNames): readonly MetricPoint[] | undefined {
  if (isObject(value)) return pointsOf(fieldOf(value, pointsNames), names)
  if (!Array.isArray(value)) return undefined
  const points = value.map((row) => pointOf(row, names)).filter((point) => point !== undefined)
  return points.length < value.length ? undefined : points.toSorted((a, b) => a.at - b.at)
}

/** `[{name: "cpu", points: [...]}]`: the entry of a list that is labelled so. */
const labelled = (data: readonly Json[], names: readonly string[]): Json | undefined =>
  data.find((row) => names.map(bareName).includes(bareName(textOf(fieldOf(row, labelNames)))))

function seriesIn(data: Json | undefined, names: readonly string[]): readonly MetricPoint[] | undefined {
  if (isObject(data)) return pointsOf(fieldOf(data, names))
  if (!Array.isArray(data) || data.length === 0) return undefined
  return pointsOf(data, names) ?? pointsOf(labelled(data, names))
}

const readIn = (data: Json | undefined): readonly MetricSeries[] =>
  measured.flatMap(([id, names]) => {
    const points = seriesIn(data, names)
    return points === undefined ? [] : [{ id, points }]
  })

/** An answer and what it holds, up to two levels within it. */
const placesIn = (data: Json | undefined, depth = 2): readonly (Json | undefined)[] => [
  data,
  ...(isObject(data) && depth > 0 ? Object.values(data).flatMap((inner) => placesIn(inner, depth - 1)) : []),
]

/** Processor and memory over time, wherever an answer holds them; nothing when its shape is not known. */
export const readMetrics = (data: Json | undefined): readonly MetricSeries[] | undefined =>
  placesIn(data)
    .map(readIn)
    .find((series) => series.length > 0)
