import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Driver from 'libsql'
import { describe, expect, it } from 'vitest'
import { openForeign } from '../../../../../src/main/sqlite/database'
import { longestLineBytes } from '../../../../../src/main/usage/tool-logs/read-lines'
import { logDesk } from './log-desk'

const claudeFolder = '.claude/projects/-home-an-project'

const claudeLine = (id: string, usage = {}) =>
  JSON.stringify({
    type: 'assistant',
    timestamp: '2026-11-21T23:00:00.000Z',
    requestId: `req_${id}`,
    message: { id: `msg_${id}`, model: 'aurora-large', usage: { input_tokens: 5, output_tokens: 1, ...usage } },
  })

const use = (toolId: string, choice = {}) => ({
  toolId,
  at: '2026-11-21T22:27:06.000Z',
  choice: { planId: 'plan', modelCode: 'aurora-large', slots: {}, ...choice },
})

describe('logs of tools', () => {
  // Input, output and cache as the gateway counted the same requests; titles that OpenCode asks for are not in its log.
  it.each([
    [
      'claude-code',
      [
        [1991, 2, 15818],
        [1991, 3, 15816],
      ],
    ],
    [
      'opencode',
      [
        [6736, 2, 0],
        [15, 3, 6719],
      ],
    ],
    [
      'kilo',
      [
        [11031, 72, 0],
        [61, 85, 10968],
      ],
    ],
    [
      'qwen-code',
      [
        [12677, 2, 0],
        [9640, 60, 0],
        [2179, 3, 10496],
        [580, 60, 9059],
      ],
    ],
    [
      'continue',
      [
        [1146, 2, 0],
        [14, 3, 1130],
      ],
    ],
    [
      'cline',
      [
        [4472, 2, 0],
        [14, 3, 4456],
      ],
    ],
    [
      'pi',
      [
        [1239, 2, 0],
        [14, 3, 1223],
      ],
    ],
    [
      'droid',
      [
        [8642, 2, 0],
        [17, 3, 8623],
      ],
    ],
  ])('tells what %s used as the gateway counted it, once', async (toolId, figures) => {
    const desk = logDesk()
    desk.put(toolId)
    if (toolId === 'continue')
      for (const name of ['17b4017c-392a-4771-805b-f1e63e77d405', 'aa4f252d-c6b5-4435-b5a4-851f88b8d32b']) {
        const at = new Date(name.startsWith('17') ? '2026-11-21T22:28:23Z' : '2026-11-21T22:28:25Z')
        utimesSync(join(desk.home, `.continue/sessions/${name}.json`), at, at)
      }
    expect(await desk.logs.read(toolId)).toBe(true)
    expect(desk.figures()).toEqual(figures)
    expect(desk.ledger.all()).toEqual(
      figures.map(() =>
        expect.objectContaining({ source: 'toolLog', toolId, modelCode: 'aurora-large', planId: undefined }),
      ),
    )
    const minute = Date.parse('2026-11-21T22:28:00Z')
    for (const { at } of desk.ledger.all()) expect(Math.abs(at - minute)).toBeLessThan(120_000)
    expect(await desk.notUnderstood(desk.logs, toolId)).toBe(0)
    expect(await desk.logs.read(toolId)).toBe(false)
    const later = desk.reader()
    await later.read(toolId)
    expect(desk.figures()).toEqual(figures)
  })

  it('keeps nothing of what was said', async () => {
    const desk = logDesk()
    for (const toolId of ['claude-code', 'qwen-code', 'pi', 'continue', 'cline', 'droid', 'opencode']) {
      desk.put(toolId)
      await desk.logs.read(toolId)
    }
    const kept = JSON.stringify([
      desk.ledger.all(),
      await Promise.all(['claude-code', 'pi'].map(desk.ledger.positions)),
    ])
    expect(kept).not.toMatch(/PONG|Xin ch|hello|an\/project"/i)
  })

  it('gives a request the plan that the tool was set up with before it, when the model is one of that choice', async () => {
    const desk = logDesk({ uses: [use('claude-code'), use('pi', { keyId: 'key', modelCode: 'other', slots: {} })] })
    for (const toolId of ['claude-code', 'pi']) {
      desk.put(toolId)
      await desk.logs.read(toolId)
    }
    const owners = desk.ledger.all().map(({ toolId, planId, keyId }) => [toolId, planId, keyId])
    expect(owners).toEqual([
      ['claude-code', undefined, undefined],
      ['claude-code', 'plan', 'first-key'],
      ['pi', undefined, undefined],
      ['pi', undefined, undefined],
    ])
  })

  it('leaves sums of sessions to the relay while their tool goes through it, and the plan of single requests', async () => {
    const uses = ['droid', 'pi'].map((toolId) => use(toolId, { route: 'relay' }))
    const desk = logDesk({ uses })
    for (const toolId of ['droid', 'pi']) {
      desk.put(toolId)
      await desk.logs.read(toolId)
    }
    expect(desk.ledger.all().map(({ toolId, planId }) => [toolId, planId])).toEqual([
      ['pi', undefined],
      ['pi', undefined],
    ])
  })

  it('leaves out what began before a moment', async () => {
    const desk = logDesk({ notBefore: Date.parse('2026-11-21T22:27:06Z') })
    desk.put('claude-code')
    await desk.logs.read('claude-code')
    expect(desk.figures()).toEqual([[1991, 3, 15816]])
  })

  it('replaces the sum of a session that has grown, and keeps when it began', async () => {
    const desk = logDesk()
    desk.put('droid')
    await desk.logs.read('droid')
    const before = desk.ledger.all()
    const path = join(
      desk.home,
      '.factory/sessions/-home-an-project/b2f56ccc-144f-434e-8657-060a83ab2cd9.settings.json',
    )
    writeFileSync(path, readFileSync(path, 'utf8').replace('"outputTokens": 2,', '"outputTokens": 2000,'))
    await desk.logs.read('droid')
    expect(desk.figures()).toEqual([
      [8642, 2000, 0],
      [17, 3, 8623],
    ])
    expect(desk.ledger.all().map(({ id, at }) => [id, at])).toEqual(before.map(({ id, at }) => [id, at]))
  })

  it('counts what it cannot understand, and reads on behind it', async () => {
    const desk = logDesk()
    const damaged = ['{"type":"assis', '\u0000\u0000', '{"type":"assistant","message":{"model":"x"}}', '[1]']
    desk.write(
      `${claudeFolder}/a.jsonl`,
      [...damaged, '{"type":"user","message":"assistant"}', claudeLine('1'), ''].join('\n'),
    )
    desk.write('.qwen/usage/token-usage-2026-11.jsonl', '{"model":"a b","timestamp":1}\n')
    desk.write('.factory/sessions/a/b.settings.json', '{"model":"m","tokenUsage":')
    for (const toolId of ['claude-code', 'qwen-code', 'droid']) await desk.logs.read(toolId)
    const counts = ['claude-code', 'qwen-code', 'droid'].map((toolId) => desk.notUnderstood(desk.logs, toolId))
    expect(await Promise.all(counts)).toEqual([4, 1, 1])
    expect(desk.figures()).toEqual([[5, 1, 0]])
    // A file that was half written is whole the next time.
    desk.write('.factory/sessions/a/b.settings.json', '{"model":"m"}')
    await desk.logs.read('droid')
    expect(await desk.notUnderstood(desk.logs, 'droid')).toBe(0)
  })

  it('skips a line that is too long, also when it comes in pieces', async () => {
    const desk = logDesk()
    const path = `${claudeFolder}/a.jsonl`
    desk.write(path, `${claudeLine('1')}\n"assistant"${'x'.repeat(longestLineBytes)}`)
    await desk.logs.read('claude-code')
    const [position] = await desk.ledger.positions('claude-code')
    expect(JSON.parse(position?.state ?? '')).toMatchObject({ isSkipping: true, notUnderstood: 1 })
    const later = desk.reader()
    appendFileSync(join(desk.home, path), `still too long\n${claudeLine('2')}\n`)
    await later.read('claude-code')
    expect(desk.ledger.all().map(({ answerId }) => answerId)).toEqual(['msg_1', 'msg_2'])
    expect(await desk.notUnderstood(later, 'claude-code')).toBe(1)
  })

  it('reads a file anew that another one took the place of, even when it is longer', async () => {
    const desk = logDesk()
    const path = join(desk.home, claudeFolder, 'a.jsonl')
    desk.write(`${claudeFolder}/a.jsonl`, `${claudeLine('1')}\n`)
    await desk.logs.read('claude-code')
    desk.write(`${claudeFolder}/b.tmp`, ['2', '3', '4'].map((id) => `${claudeLine(id)}\n`).join(''))
    renameSync(join(desk.home, claudeFolder, 'b.tmp'), path)
    await desk.logs.read('claude-code')
    expect(desk.ledger.all().map(({ answerId }) => answerId)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4'])
  })

  it('takes the last of several lines of one answer', async () => {
    const desk = logDesk()
    const lines = [claudeLine('1'), claudeLine('1', { output_tokens: 40 })]
    desk.write(`${claudeFolder}/a.jsonl`, `${lines.join('\n')}\n`)
    desk.write(`${claudeFolder}/copied.jsonl`, `${lines[1]}\n`)
    await desk.logs.read('claude-code')
    expect(desk.figures()).toEqual([[5, 40, 0]])
  })

  it('reads an answer of a database again that was still coming', async () => {
    const desk = logDesk()
    desk.put('opencode')
    const driver = new Driver(join(desk.home, '.local/share/opencode/opencode.db'))
    const answer = (output: number, completed?: number) =>
      JSON.stringify({
        ...{ role: 'assistant', modelID: 'aurora-small' },
        time: { created: Date.parse('2026-11-22T11:59:00Z'), completed },
        tokens: { input: 9, output, reasoning: 0, cache: { read: 0, write: 0 } },
      })
    driver.prepare("INSERT INTO message VALUES ('msg_3', 's', 1, 1, ?)").run([answer(0)])
    await desk.logs.read('opencode')
    driver
      .prepare("UPDATE message SET data = ? WHERE id = 'msg_3'")
      .run([answer(7, Date.parse('2026-11-22T12:00:00Z'))])
    await desk.reader().read('opencode')
    expect(desk.figures().at(-1)).toEqual([9, 7, 0])
    expect(desk.ledger.all()).toHaveLength(3)
    driver.close()
  })

  it.each([
    ['of another schema', (path: string) => new Driver(path).exec('DROP TABLE message')],
    [
      'that is none',
      (path: string) => writeFileSync(path, 'no database at all, but long enough to be looked into'.repeat(20)),
    ],
  ])('tells of a database %s, and goes on with the other tools', async (_, spoil) => {
    const desk = logDesk()
    desk.put('opencode')
    const path = join(desk.home, '.local/share/opencode/opencode.db')
    rmSync(`${path}-wal`, { force: true })
    spoil(path)
    expect(await desk.logs.read('opencode')).toBe(false)
    expect(await desk.logs.read('opencode')).toBe(false)
    expect(await desk.notUnderstood(desk.logs, 'opencode')).toBe(1)
    expect(desk.logged).toHaveLength(1)
  })

  it('reads past a row of a database whose text is no UTF-8', async () => {
    const desk = logDesk()
    desk.put('kilo')
    const all = desk.reader()
    await all.read('kilo')
    const figures = desk.figures()
    const tool = new Driver(join(desk.home, '.local/share/kilo/kilo.db'))
    tool.exec(
      "INSERT INTO message SELECT id || 'x', session_id, time_created, time_updated, CAST(x'61ff62' AS TEXT) FROM message",
    )
    tool.close()
    expect(await all.read('kilo')).toBe(true)
    expect(desk.figures()).toEqual(figures)
    expect(await desk.notUnderstood(all, 'kilo')).toBe(4)
  })

  it('reads what is in the write-ahead log alone, and leaves a database as it is, to the byte', async () => {
    const desk = logDesk()
    desk.put('kilo')
    const path = join(desk.home, '.local/share/kilo/kilo.db')
    const tool = new Driver(path)
    tool.exec("DELETE FROM message WHERE id > 'msg_20038ffb7001gn4aPcU3jOjKIT'")
    // What a kill of the tool leaves behind: nobody else holds these files.
    const left = join(desk.home, 'left', '.local/share/kilo')
    cpSync(join(path, '..'), left, { recursive: true })
    tool.close()
    rmSync(join(path, '..'), { recursive: true })
    renameSync(left, join(path, '..'))
    const bytes = () => [path, `${path}-wal`].map((file) => readFileSync(file).toString('base64'))
    const before = bytes()
    await desk.logs.read('kilo')
    expect(desk.figures()).toEqual([[11031, 72, 0]])
    expect(bytes()).toEqual(before)
    // What is asked becomes a part of a SELECT, so that nothing can be written, in a file that is open for reading only anyway.
    expect(() => openForeign(path).all('DELETE FROM message', [])).toThrow(/syntax error/)
    expect(bytes()).toEqual(before)
    expect(() => openForeign(`${path}.none`)).toThrow()
    expect(existsSync(`${path}.none`)).toBe(false)
  })

  it('forgets a log and begins with it again', async () => {
    const desk = logDesk()
    desk.put('pi')
    await desk.logs.read('pi')
    await desk.logs.forget('pi')
    expect(desk.ledger.all()).toEqual([])
    await desk.logs.read('pi')
    expect(desk.ledger.all()).toHaveLength(2)
  })
})
