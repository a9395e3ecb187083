import { expect, test } from 'vitest'
import { readMetrics, withinRange } from '../../../../../src/renderer/features/runtimes/metrics-tab'

const at = Date.UTC(2026, 0, 1)
const iso = new Date(at).toISOString()
const both = [
  { id: 'cpu', points: [{ at, value: 40 }] },
  { id: 'memory', points: [{ at, value: 50 }] },
]

test.each([
  ['series of points', { cpu: [{ at: iso, value: 40 }], memory: [{ at: iso, value: 50 }] }],
  ['rows with both', [{ timestamp: at / 1000, cpuUsage: 40, ram: '50' }]],
  ['rows in an envelope', { data: { points: [{ time: iso, cpu: 40, mem: 50 }] }, count: 1 }],
  [
    'pairs',
    { result: { cpu_utilization: { values: [[at / 1000, '40']] }, memory_usage: { values: [[at / 1000, '50']] } } },
  ],
  [
    'labelled series',
    [
      { metric: 'CPU', values: [[at, 40]] },
      { metric: 'memory', values: [[at, 50]] },
    ],
  ],
])('CPU and memory are found as %s', (_, data) => {
  expect(readMetrics(data)).toEqual(both)
})

test.each([
  ['beside the series', { unit: 'percent', cpu: [{ at: iso, value: 40 }] }, '%'],
  ['in the series', { cpu: { unit: 'millicores', points: [{ at: iso, value: 40 }] } }, 'millicores'],
  ['by the name of the field', { cpuPercent: [{ at: iso, value: 40 }] }, '%'],
  ['nowhere', { cpu: [{ at: iso, value: 40 }] }, undefined],
])('a unit is told %s', (_, data, unit) => {
  expect(readMetrics(data)).toEqual([{ id: 'cpu', points: [{ at, value: 40 }], ...(unit && { unit }) }])
})

test('a range keeps the newest points of all series', () => {
  const points = [0, 10, 50, 60].map((minute) => ({ at: at + minute * 60_000, value: minute }))
  const old = { id: 'memory', points: points.slice(0, 2) } as const
  const cut = withinRange([{ id: 'cpu', points }, old], 15 * 60_000)
  expect(cut.map((one) => one.points.map(({ value }) => value))).toEqual([[50, 60], []])
})

test('points come oldest first, whatever their order, and a series may be empty', () => {
  const rows = {
    cpu: [
      { t: at + 1000, v: 2 },
      { t: at, v: 1 },
    ],
    memory: [],
  }
  expect(readMetrics(rows)).toEqual([
    {
      id: 'cpu',
      points: [
        { at, value: 1 },
        { at: at + 1000, value: 2 },
      ],
    },
    { id: 'memory', points: [] },
  ])
})

test.each([
  ['other names', { load: [{ at: iso, value: 1 }] }],
  ['no moments', { cpu: [{ value: 1 }] }],
  [
    'one value that is none',
    {
      cpu: [
        { at: iso, value: 1 },
        { at: iso, value: 'n/a' },
      ],
    },
  ],
  ['plain values', { cpu: 40, memory: 50 }],
  ['nothing', undefined],
])('a shape with %s is unknown', (_, data) => {
  expect(readMetrics(data)).toBeUndefined()
})
