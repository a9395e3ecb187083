import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageFilter, UsageRequest } from '@shared/contract/usage'
import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { realDisk } from '../../../../src/main/core/files/disk'
import { createUsageFiles } from '../../../../src/main/usage/export-text'
import { expectFailure } from '../../support/failures'
import { makeFolder } from '../../support/folders'

const filter: UsageFilter = { scope: 'machine', from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' }
/** Midnight of 2 November in the test's time zone. */
const localDay = '2026-11-01T17:00:00.000Z'
const counts = { requests: 2, errors: 1, inputTokens: 10, outputTokens: 5, cacheTokens: 3 }
const request: UsageRequest = {
  id: '1',
  at: '2026-11-21T00:00:00.000Z',
  source: 'relay',
  projectName: '+web',
  modelCode: '=SUM(A1)',
  planName: 'a "b", c',
  inputTokens: 0,
  isEstimated: true,
  error: 'quota',
  status: 429,
}

/** The smallest PNG, with one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function startFiles(chosen: 'chosen' | 'cancelled' = 'chosen', pages = 1) {
  const folder = makeFolder()
  const consentQuestions: unknown[] = []
  const chooseSavePath = async (name: string) => (chosen === 'chosen' ? join(folder, name) : undefined)
  const files = createUsageFiles({
    usage: {
      series: async ({ step }) => ({ step, buckets: [{ start: localDay, ...counts }], totals: counts, at: filter.to }),
      requests: async (query) => {
        const { next = '1', limit } = query
        consentQuestions.push(query)
        if (Number(next) > 3) throw new AppError('usage.unavailable', 'The ledger is gone.')
        const requests = Array.from({ length: limit }, (_, index) => ({ ...request, id: `${next}-${index}` }))
        return { requests, ...(Number(next) < pages ? { next: String(Number(next) + 1) } : {}) }
      },
    },
    dialogs: { save: chooseSavePath },
    disk: realDisk,
    clock: () => new Date('2026-11-21T20:00:00Z'),
    zone: () => 'Asia/Ho_Chi_Minh',
  })
  return { files, folder, consentQuestions, text: (path = '') => readFileSync(path, 'utf8') }
}

it('writes usage over time as CSV with the table’s days and the source', async () => {
  const { files, folder, text } = startFiles()
  const { path } = await files.export({ filter, what: 'series', step: 'day', format: 'csv' })
  expect(path).toBe(join(folder, 'usage-series-2026-11-22.csv'))
  expect(text(path).split('\r\n')).toEqual([
    '\uFEFFStart,Requests,Errors,Input tokens,Output tokens,Cache tokens,Tokens,Source',
    '2026-11-02,2,1,10,5,3,18,machine',
    '',
  ])
  expect(statSync(path ?? '').mode & 0o777).toBe(0o600)
})

it('writes figures over time as JSON with the query', async () => {
  const { files, text } = startFiles()
  const { path } = await files.export({ filter, what: 'series', step: 'week', format: 'json' })
  expect(JSON.parse(text(path))).toMatchObject({ filter, step: 'week', buckets: [counts], totals: counts })
})

it('writes every page of requests, quoted, with no cell that a spreadsheet would execute', async () => {
  const { files, text } = startFiles('chosen', 3)
  const csv = await files.export({ filter, what: 'requests', step: 'day', format: 'csv' })
  const lines = text(csv.path).split('\r\n')
  expect(lines).toHaveLength(1502)
  expect(lines[1]).toBe(`2026-11-21T07:00:00.000+07:00,relay,"a ""b"", c",,,'+web,'=SUM(A1),,0,,,,yes,429,quota,,`)
  const json = await files.export({ filter, what: 'requests', step: 'day', format: 'json' })
  expect(JSON.parse(text(json.path)).requests.at(-1).id).toBe('3-499')
})

it('writes hours as times with the time zone offset', async () => {
  const { files, text } = startFiles()
  const { path } = await files.export({ filter, what: 'series', step: 'hour', format: 'csv' })
  expect(text(path).split('\r\n')[1]).toBe('2026-11-02T00:00:00.000+07:00,2,1,10,5,3,18,machine')
})

it.each([true, false])('exports only failed requests when the page shows only errors: %s', async (onlyErrors) => {
  const { files, consentQuestions } = startFiles()
  await files.export({ filter, what: 'requests', step: 'day', format: 'csv', onlyErrors })
  expect(consentQuestions).toEqual([expect.objectContaining({ onlyErrors })])
})

it('leaves no file when it fails midway, and requests no single requests from the console', async () => {
  const { files, folder } = startFiles('chosen', 9)
  const exportFrom = (scope: 'machine' | 'console') =>
    files.export({ filter: { ...filter, scope }, what: 'requests', step: 'day', format: 'csv' })
  await expectFailure(exportFrom('machine'), 'usage.unavailable')
  await expectFailure(exportFrom('console'), 'input.invalid')
  expect(readdirSync(folder)).toEqual([])
})

it('saves an image under a name that is valid on every file system', async () => {
  const { files, folder } = startFiles()
  const { path } = await files.savePicture({ name: '../Tokens: "large"/day', picture: { kind: 'png', base64: png } })
  expect(path).toBe(join(folder, 'Tokens- -large-day.png'))
  expect(readFileSync(path ?? '').toString('base64')).toBe(png)
})

it.each([
  '<svg xmlns="http://www.w3.org/2000/svg"><g clip-path="url(#a)"><text x="1">a &lt; b on x=1</text></g></svg>',
  '<svg><pattern id="a"><rect/></pattern><rect fill="url(&quot;#a&quot;)"/></svg>',
])('saves a drawing unchanged: %s', async (svgText) => {
  const { files, text } = startFiles()
  expect(text((await files.savePicture({ name: 'x', picture: { kind: 'svg', text: svgText } })).path)).toBe(svgText)
})

const activeDrawings = [
  '<svg><script>alert(1)</script></svg>',
  '<svg onload="alert(1)"></svg>',
  '<svg><g\nonclick=alert(1)></g></svg>',
  '<svg><a href="https://example.com"><text>x</text></a></svg>',
  '<svg><path href="https://example.com"/></svg>',
  '<svg><path fill="url(https://example.com/#a)"/></svg>',
  '<svg><path fill="url(&quot;https://example.com/#a&quot;)"/></svg>',
  '<svg><foreignObject></foreignObject></svg>',
  '<!DOCTYPE svg><svg></svg>',
  '<svg><!ENTITY a "b"></svg>',
  '<svg><path style="background: x"/></svg>',
]
type Picture = Parameters<ReturnType<typeof startFiles>['files']['savePicture']>[0]['picture']
it.each<[string, Picture]>([
  ['a text', { kind: 'png', base64: Buffer.from('<svg onload=x>').toString('base64') }],
  ['a picture that is cut off', { kind: 'png', base64: png.slice(0, 60) }],
  ['nothing in base64', { kind: 'png', base64: '###' }],
  ...activeDrawings.map((text): [string, Picture] => [text, { kind: 'svg', text }]),
])('saves no image of %s', async (_, picture) => {
  const { files, folder } = startFiles()
  await expectFailure(files.savePicture({ name: 'x', picture }), 'input.invalid')
  expect(readdirSync(folder)).toEqual([])
})

it('writes nothing when the dialog is closed', async () => {
  const { files, folder } = startFiles('cancelled')
  expect(await files.export({ filter, what: 'series', step: 'day', format: 'csv' })).toEqual({})
  expect(await files.savePicture({ name: 'x', picture: { kind: 'png', base64: png } })).toEqual({})
  expect(readdirSync(folder)).toEqual([])
})
