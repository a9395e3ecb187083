import { describe, expect, test } from 'vitest'
import { formatLogLine, readLogLines } from '../../../../../../src/renderer/features/platform/runtimes/log-lines'

const texts = (data: Parameters<typeof readLogLines>[0]) => readLogLines(data).map(formatLogLine)

describe('log lines', () => {
  test.each([
    [
      'of the sandbox, newest first',
      {
        lines: [
          { timestamp: '2026-01-01T00:00:02Z', level: 'INFO', message: 'b', replica: 2 },
          { timestamp: '2026-01-01T00:00:01Z', level: 'INFO', message: 'a', replica: 1 },
        ],
      },
      ['2026-01-01T00:00:01Z INFO a replica=1', '2026-01-01T00:00:02Z INFO b replica=2'],
    ],
    [
      'with other names, in seconds',
      {
        data: {
          entries: [
            { ts: 1767225601, severity: 'warning', msg: 'a' },
            { ts: 1767225602, severity: 'err', msg: 'b' },
          ],
        },
      },
      ['1767225601 warning a', '1767225602 err b'],
    ],
    [
      'one text',
      { logs: '2026-01-01T00:00:01Z WARN a\n2026-01-01T00:00:02Z b\n' },
      ['2026-01-01T00:00:01Z WARN a', '2026-01-01T00:00:02Z b'],
    ],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['of fields nobody knows', [{ what: 'a' }], ['{"what":"a"}']],
    ['none', undefined, []],
  ])('are found in a response where they are %s', (_, data, lines) => {
    expect(texts(data)).toEqual(lines)
  })

  test.each([
    [{ level: 'Fatal', message: 'x' }, 'error'],
    [{ severity: 'WARNING', text: 'x' }, 'warning'],
    [{ level: 'notice', message: 'x' }, 'info'],
    [{ lvl: 'trace', msg: 'x' }, 'debug'],
    [{ level: 'purple', message: 'x' }, undefined],
    ['[12:00] ERROR out of memory', 'error'],
    ['terrorist and informal are no levels', undefined],
    [`${'x'.repeat(90)} ERROR`, undefined],
  ])('%j has the level %s', (row, level) => {
    expect(readLogLines([row])[0]?.level).toBe(level)
  })
})
