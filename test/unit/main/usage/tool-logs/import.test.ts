import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Driver from 'libsql'
import { describe, expect, it } from 'vitest'
import { openForeignDatabase } from '../../../../../src/main/core/sqlite/database'
import { toProjectId } from '../../../../../src/main/usage/project'
import { createLogHarness, recordedAt } from './log-desk'

const claudeFolder = '.claude/projects/-home-an-project'
const openCodeFile = '.local/share/opencode/opencode.db'

const claudeLine = (id: string, usage = {}, fields = {}) =>
  JSON.stringify({
    type: 'assistant',
    timestamp: '2026-11-21T23:00:00.000Z',
    requestId: `req_${id}`,
    message: { id: `msg_${id}`, model: 'aurora-large', usage: { input_tokens: 5, output_tokens: 1, ...usage } },
    ...fields,
  })

const createToolUse = (toolId: string, choice = {}) => ({
  toolId,
  at: '2026-11-21T22:27:06.000Z',
  choice: { planId: 'plan', modelCode: 'aurora-large', slots: {}, ...choice },
})

const line = (message: object, fields: object = {}) => ({
  type: 'assistant',
  sessionId: 's1',
  timestamp: '2026-11-20T01:00:00Z',
  message: { id: 'msg_abc', model: 'mod-c', usage: { input_tokens: 10, output_tokens: 2 }, ...message },
  ...fields,
})

/** Log lines of ten responses in one session that all have the same id, an hour apart. */
const constantIds = (sessionId: string, fields: (n: number) => object = () => ({})) =>
  Array.from({ length: 10 }, (_, n) =>
    line(
      { id: 'msg_1', usage: { input_tokens: 10 + n, output_tokens: 2 } },
      { sessionId, timestamp: `2026-11-20T0${n}:00:00Z`, ...fields(n) },
    ),
  )

const toLog = (entries: readonly object[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

const createTablesV1 =
  'CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)'
const createTablesV2 =
  'CREATE TABLE session_v2 (id TEXT PRIMARY KEY); CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT)'

const minute = (n: number) => Date.parse('2026-11-21T10:00:00Z') + n * 60_000
const tokens = { input: 100, output: 10, reasoning: 5, cache: { read: 50, write: 0 } }
const time = (n: number) => ({ created: minute(n), completed: minute(n) + 900 })

/** Inserts a response of OpenCode 1 or 2 at a minute. */
const buildRowV1 = (id: string, n: number, session = 'ses_1') =>
  `INSERT INTO message VALUES ('${id}', '${session}', ${minute(n)}, ${minute(n)}, '${JSON.stringify({ role: 'assistant', modelID: 'm', time: time(n), tokens: { ...tokens, total: 165 } })}')`
const buildRowV2 = (id: string, n: number) =>
  `INSERT INTO session_message VALUES ('${id}', 'ses_1', 'assistant', 1, ${minute(n)}, '${JSON.stringify({ model: { id: 'm', providerID: 'p' }, time: time(n), tokens, content: [{ type: 'text', text: 'x' }] })}')`

describe('tools’ logs', () => {
  // Input, output and cache as counted by the gateway. OpenCode's title requests are not in its log.
  it.each<[toolId: string, ...figures: number[][]]>([
    ['claude-code', [1991, 2, 15818], [1991, 3, 15816]],
    ['opencode', [6736, 2, 0], [15, 3, 6719]],
    ['kilo', [11031, 72, 0], [61, 85, 10968]],
    ['qwen-code', [12677, 2, 0], [9640, 60, 0], [2179, 3, 10496], [580, 60, 9059]],
    ['continue', [1146, 2, 0], [14, 3, 1130]],
    ['cline', [4472, 2, 0], [14, 3, 4456]],
    ['pi', [1239, 2, 0], [14, 3, 1223]],
    ['droid', [8642, 2, 0], [17, 3, 8623]],
  ])('match the gateway’s count for %s, each request once, with its project folder', async (toolId, ...figures) => {
    const harness = createLogHarness()
    harness.copyLogs(toolId)
    expect(await harness.logs.read(toolId)).toBe(true)
    expect(harness.figures()).toEqual(figures)
    const projectId = ['qwen-code', 'droid'].includes(toolId) ? undefined : toProjectId('/home/an/project')
    const expectedEntry = { source: 'toolLog', toolId, modelCode: 'aurora-large', planId: undefined, projectId }
    expect(harness.ledger.all()).toEqual(figures.map(() => expect.objectContaining(expectedEntry)))
    for (const { at } of harness.ledger.all()) expect(Math.abs(at - recordedAt.getTime())).toBeLessThan(120_000)
    expect(await harness.state(toolId)).toMatchObject({ notUnderstood: 0 })
    expect(await harness.logs.read(toolId)).toBe(false)
    const restartedReader = harness.reader()
    await restartedReader.read(toolId)
    expect(harness.figures()).toEqual(figures)
  })

  it.each([
    ['/home/an/project/src/deep', '/home/an/project'],
    ['/home/an/project.old', '/home/an/project.old'],
    ['/tmp/elsewhere', '/tmp/elsewhere'],
  ])('count a request of Claude Code in %s for %s', async (workingDirectory, project) => {
    const harness = createLogHarness()
    harness.write(`${claudeFolder}/s.jsonl`, `${claudeLine('1', {}, { cwd: workingDirectory })}\n`)
    await harness.logs.read('claude-code')
    expect(harness.ledger.all()).toMatchObject([{ projectId: toProjectId(project) }])
  })

  it('read the project of a pi session that continues after a restart', async () => {
    const harness = createLogHarness()
    const piLine = (id: string) =>
      `${JSON.stringify({ type: 'message', id, message: { role: 'assistant', timestamp: minute(1), model: 'm', usage: { input: 1, output: Number(id) } } })}\n`
    const path = '.pi/agent/sessions/--home-an-web--/s.jsonl'
    harness.write(path, `${JSON.stringify({ type: 'session', cwd: '/home/an/web' })}\n${piLine('1')}`)
    await harness.logs.read('pi')
    appendFileSync(join(harness.home, path), piLine('2'))
    await harness.reader().read('pi')
    const projectId = toProjectId('/home/an/web')
    expect(harness.ledger.all()).toMatchObject([{ projectId }, { projectId }])
  })

  it('contribute no conversation text', async () => {
    const harness = createLogHarness()
    await harness.importLogs('claude-code', 'qwen-code', 'pi', 'continue', 'cline', 'droid', 'opencode')
    const positions = await Promise.all(['claude-code', 'pi'].map(harness.ledger.positions))
    expect(JSON.stringify([harness.ledger.all(), positions])).not.toMatch(/PONG|Xin ch|hello|an\/project"/i)
  })

  it('get the plan of the tool’s preceding setup when the model belongs to it', async () => {
    const harness = createLogHarness({
      uses: [createToolUse('claude-code'), createToolUse('pi', { keyId: 'key', modelCode: 'other', slots: {} })],
    })
    await harness.importLogs('claude-code', 'pi')
    const owners = harness.ledger.all().map(({ toolId, planId, keyId }) => [toolId, planId, keyId])
    expect(owners).toEqual([
      ['claude-code', undefined, undefined],
      ['claude-code', 'plan', 'first-key'],
      ['pi', undefined, undefined],
      ['pi', undefined, undefined],
    ])
  })

  it('leave session totals and plans of single requests to the relay while the tool uses it', async () => {
    const toolUses = ['droid', 'pi'].map((toolId) => createToolUse(toolId, { route: 'relay' }))
    const harness = createLogHarness({ uses: toolUses })
    await harness.importLogs('droid', 'pi')
    expect(harness.ledger.all().map(({ toolId, planId }) => [toolId, planId])).toEqual([
      ['pi', undefined],
      ['pi', undefined],
    ])
  })

  it('omit requests before a start time', async () => {
    const harness = createLogHarness({ notBefore: Date.parse('2026-11-21T22:27:06Z') })
    await harness.importLogs('claude-code')
    expect(harness.figures()).toEqual([[1991, 3, 15816]])
  })

  it('update a session’s total when it has grown, keeping its start', async () => {
    const harness = createLogHarness()
    await harness.importLogs('droid')
    const entriesBefore = harness.ledger.all()
    const file = 'b2f56ccc-144f-434e-8657-060a83ab2cd9.settings.json'
    const path = join(harness.home, '.factory/sessions/-home-an-project', file)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"outputTokens": 2,', '"outputTokens": 2000,'))
    await harness.logs.read('droid')
    expect(harness.figures()).toEqual([
      [8642, 2000, 0],
      [17, 3, 8623],
    ])
    expect(harness.ledger.all().map(({ id, at }) => [id, at])).toEqual(entriesBefore.map(({ id, at }) => [id, at]))
  })

  it('count unreadable entries and continue after them', async () => {
    const harness = createLogHarness()
    const damagedLines = ['{"type":"assis', '\u0000\u0000', '{"type":"assistant","message":{"model":"x"}}', '[1]']
    harness.write(
      `${claudeFolder}/a.jsonl`,
      [...damagedLines, '{"type":"user","message":"assistant"}', claudeLine('1'), ''].join('\n'),
    )
    harness.write('.qwen/usage/token-usage-2026-11.jsonl', '{"model":"a b","timestamp":1}\n')
    harness.write('.factory/sessions/a/b.settings.json', '{"model":"m","tokenUsage":')
    for (const toolId of ['claude-code', 'qwen-code', 'droid']) await harness.logs.read(toolId)
    const states = await Promise.all(['claude-code', 'qwen-code', 'droid'].map((toolId) => harness.state(toolId)))
    expect(states.map((state) => state?.notUnderstood)).toEqual([4, 1, 1])
    expect(harness.figures()).toEqual([[5, 1, 0]])
    // The tool has finished writing the file that was incomplete before.
    harness.write('.factory/sessions/a/b.settings.json', '{"model":"m"}')
    await harness.logs.read('droid')
    expect(await harness.state('droid')).toMatchObject({ notUnderstood: 0 })
  })

  it('skip an oversized line, even in parts', async () => {
    const harness = createLogHarness()
    const path = `${claudeFolder}/a.jsonl`
    harness.write(path, `${claudeLine('1')}\n"assistant"${'x'.repeat(10_000_000)}`)
    await harness.logs.read('claude-code')
    const [position] = await harness.ledger.positions('claude-code')
    expect(JSON.parse(position?.state ?? '')).toMatchObject({ isSkipping: true, notUnderstood: 1 })
    const restartedReader = harness.reader()
    appendFileSync(join(harness.home, path), `still too long\n${claudeLine('2')}\n`)
    await restartedReader.read('claude-code')
    expect(harness.ledger.all().map(({ id }) => id)).toEqual(['claude-code:msg_1:req_1', 'claude-code:msg_2:req_2'])
    expect(await harness.state('claude-code', restartedReader)).toMatchObject({ notUnderstood: 1 })
  })

  it('are read from the beginning when another file replaced the old one, even a longer one', async () => {
    const harness = createLogHarness()
    const path = join(harness.home, claudeFolder, 'a.jsonl')
    harness.write(`${claudeFolder}/a.jsonl`, `${claudeLine('1')}\n`)
    await harness.logs.read('claude-code')
    harness.write(`${claudeFolder}/b.tmp`, ['2', '3', '4'].map((id) => `${claudeLine(id)}\n`).join(''))
    renameSync(join(harness.home, claudeFolder, 'b.tmp'), path)
    await harness.logs.read('claude-code')
    const expectedIds = ['1', '2', '3', '4'].map((id) => `claude-code:msg_${id}:req_${id}`)
    expect(harness.ledger.all().map(({ id }) => id)).toEqual(expectedIds)
  })

  it('use the last of several lines of one response', async () => {
    const harness = createLogHarness()
    const lines = [claudeLine('1'), claudeLine('1', { output_tokens: 40 })]
    harness.write(`${claudeFolder}/a.jsonl`, `${lines.join('\n')}\n`)
    harness.write(`${claudeFolder}/copied.jsonl`, `${lines[1]}\n`)
    await harness.logs.read('claude-code')
    expect(harness.figures()).toEqual([[5, 40, 0]])
  })

  it('update an unfinished response in a database', async () => {
    const harness = createLogHarness()
    harness.copyLogs('opencode')
    const driver = new Driver(join(harness.home, openCodeFile))
    const answer = (output: number, completed?: number) =>
      JSON.stringify({
        role: 'assistant',
        modelID: 'aurora-small',
        time: { created: Date.parse('2026-11-22T11:59:00Z'), completed },
        tokens: { input: 9, output, reasoning: 0, cache: { read: 0, write: 0 } },
      })
    driver.prepare("INSERT INTO message VALUES ('msg_3', 's', 1, 1, ?)").run([answer(0)])
    await harness.logs.read('opencode')
    driver
      .prepare("UPDATE message SET data = ? WHERE id = 'msg_3'")
      .run([answer(7, Date.parse('2026-11-22T12:00:00Z'))])
    await harness.reader().read('opencode')
    expect(harness.figures().at(-1)).toEqual([9, 7, 0])
    expect(harness.ledger.all()).toHaveLength(3)
    driver.close()
  })

  it.each([
    ['of another schema', (path: string) => new Driver(path).exec('DROP TABLE message')],
    [
      'that is none',
      (path: string) => writeFileSync(path, 'no database at all, but long enough to be looked into'.repeat(20)),
    ],
  ])('report a database %s, and continue with the other tools', async (_, spoil) => {
    const harness = createLogHarness()
    harness.copyLogs('opencode')
    const path = join(harness.home, openCodeFile)
    rmSync(`${path}-wal`, { force: true })
    spoil(path)
    expect(await harness.logs.read('opencode')).toBe(false)
    expect(await harness.logs.read('opencode')).toBe(false)
    expect(await harness.state('opencode')).toMatchObject({ notUnderstood: 1 })
    expect(harness.logged).toHaveLength(1)
  })

  it('skip a database row with text that is not UTF-8', async () => {
    const harness = createLogHarness()
    harness.copyLogs('kilo')
    const logReader = harness.reader()
    await logReader.read('kilo')
    const importedFigures = harness.figures()
    const tool = new Driver(join(harness.home, '.local/share/kilo/kilo.db'))
    tool.exec(
      "INSERT INTO message SELECT id || 'x', session_id, time_created, time_updated, CAST(x'61ff62' AS TEXT) FROM message",
    )
    tool.close()
    expect(await logReader.read('kilo')).toBe(true)
    expect(harness.figures()).toEqual(importedFigures)
    expect(await harness.state('kilo', logReader)).toMatchObject({ notUnderstood: 4 })
  })

  it('include data only in the write-ahead log, and leave a database unchanged byte for byte', async () => {
    const harness = createLogHarness()
    harness.copyLogs('kilo')
    const path = join(harness.home, '.local/share/kilo/kilo.db')
    const tool = new Driver(path)
    tool.exec("DELETE FROM message WHERE id > 'msg_20038ffb7001gn4aPcU3jOjKIT'")
    // State after a kill of the tool, when no other process has these files open.
    const oldFolder = join(harness.home, 'left', '.local/share/kilo')
    cpSync(join(path, '..'), oldFolder, { recursive: true })
    tool.close()
    rmSync(join(path, '..'), { recursive: true })
    renameSync(oldFolder, join(path, '..'))
    const bytes = () => [path, `${path}-wal`].map((file) => readFileSync(file).toString('base64'))
    const bytesBefore = bytes()
    await harness.logs.read('kilo')
    expect(harness.figures()).toEqual([[11031, 72, 0]])
    expect(bytes()).toEqual(bytesBefore)
    // Queries become part of a SELECT in a read-only file, so nothing can be written.
    expect(() => openForeignDatabase(path).all('DELETE FROM message', [])).toThrow(/syntax error/)
    expect(bytes()).toEqual(bytesBefore)
    expect(() => openForeignDatabase(`${path}.none`)).toThrow()
    expect(existsSync(`${path}.none`)).toBe(false)
  })

  it.each<[string, ReturnType<typeof line>[], number?]>([
    ['one id for all responses, without request ids', [...constantIds('s1'), ...constantIds('s2')], 20],
    ['one id for all responses, with request ids', constantIds('s1', (n) => ({ requestId: `req_${n}` })), 10],
    [
      'one id and one request id for all responses',
      ['s1', 's2'].flatMap((session) => constantIds(session, () => ({ requestId: 'req_1' }))),
      20,
    ],
    ['an empty id', [line({ id: '' })]],
    ['an id of null and the request null', [line({ id: null }, { requestId: null })]],
    ['no id, twice in an hour', [line({ id: '' }), line({ id: '' }, { timestamp: '2026-11-20T02:00:00Z' })], 2],
    [
      'no id, in two lines of one response',
      [
        line({ id: '' }, { uuid: 'a' }),
        line({ id: '' }, { uuid: 'b', parentUuid: 'a', timestamp: '2026-11-20T01:00:02Z' }),
      ],
    ],
    ['the same request id and several ids', ['a', 'b'].map((id) => line({ id }, { requestId: 'req_1' })), 2],
    [
      'a session that was resumed in another file',
      [line({}, { requestId: 'req_1' }), line({}, { requestId: 'req_1', sessionId: 's2' })],
    ],
    [
      'a session that was resumed in another file, without requests',
      ['s1', 's2'].flatMap((sessionId) => ['a', 'b'].map((id) => line({ id }, { sessionId }))),
      2,
    ],
    ['sub-agents', [line({ id: 'a' }), line({ id: 'b' }, { isSidechain: true, agentId: 'x' })], 2],
    [
      'errors that the tool writes itself',
      [
        line({}),
        line({ id: 'x', model: '<synthetic>' }, { isApiErrorMessage: true }),
        line({ id: 'y', model: undefined, usage: undefined }, { isApiErrorMessage: true }),
      ],
    ],
    [
      'counts that grow over the lines of one response',
      [
        line({ usage: { input_tokens: 0, output_tokens: 1 } }, { uuid: 'a' }),
        line({ usage: { input_tokens: 18, output_tokens: 4 } }, { uuid: 'b', parentUuid: 'a' }),
      ],
    ],
    ['an id in two lines, without a request', [line({}), line({}, { timestamp: '2026-11-20T01:00:02Z' })]],
    ['an id with and without its request', [line({}, { requestId: 'req_1' }), line({}, { sessionId: 's2' })]],
  ])('count Claude Code responses with %s', async (_, lines, count = 1) => {
    const harness = createLogHarness()
    for (const session of ['s1', 's2']) {
      const sessionEntries = lines.filter(({ sessionId }) => sessionId === session)
      harness.write(`${claudeFolder}/${session}.jsonl`, toLog(sessionEntries))
    }
    await harness.logs.read('claude-code')
    await harness.reader().read('claude-code')
    expect(harness.ledger.all()).toHaveLength(count)
    expect(await harness.state('claude-code')).toMatchObject({ notUnderstood: 0 })
  })

  it('handle an id of several responses after a restart', async () => {
    const harness = createLogHarness()
    harness.write(`${claudeFolder}/s1.jsonl`, toLog(constantIds('s1').slice(0, 5)))
    await harness.logs.read('claude-code')
    appendFileSync(join(harness.home, claudeFolder, 's1.jsonl'), toLog(constantIds('s1').slice(5)))
    harness.write(`${claudeFolder}/s2.jsonl`, toLog(constantIds('s2')))
    await harness.reader().read('claude-code')
    expect(harness.ledger.all()).toHaveLength(20)
  })

  describe('databases of OpenCode', () => {
    it.each([
      ['version 1', { 'opencode.db': [createTablesV1, buildRowV1('msg_a', 0), buildRowV1('msg_b', 1)] }, 2],
      [
        'version 2',
        { 'opencode.db': [createTablesV2, buildRowV2('msg_a', 0), buildRowV2('msg_b', 1), buildRowV2('msg_c', 2)] },
        3,
      ],
      [
        'version 2 with upgraded rows, under the same ids and under new ones',
        {
          'opencode.db': [
            createTablesV1,
            createTablesV2,
            buildRowV1('msg_a', 0),
            buildRowV1('msg_b', 1),
            buildRowV2('msg_a', 0),
            buildRowV2('msg_new', 1),
            buildRowV2('msg_c', 2),
          ],
        },
        3,
      ],
      [
        'several channels',
        {
          'opencode.db': [createTablesV1, buildRowV1('msg_a', 0)],
          'opencode-beta.db': [createTablesV2, buildRowV2('msg_b', 1)],
        },
        2,
      ],
    ])('counts each response of %s once', async (_, databases, count) => {
      const harness = createLogHarness()
      for (const [name, sql] of Object.entries(databases)) harness.database(`.local/share/opencode/${name}`, ...sql)
      expect(await harness.logs.read('opencode')).toBe(true)
      await harness.reader().read('opencode')
      expect(harness.figures()).toEqual(Array.from({ length: count }, () => [100, 15, 50]))
      expect(await harness.state('opencode')).toMatchObject({ notUnderstood: 0 })
    })

    it.each([
      ['an absolute path', (home: string) => join(home, 'elsewhere/work.db'), 'elsewhere/work.db'],
      ['a name', () => 'work.sqlite', '.local/share/opencode/work.sqlite'],
    ])('reads the database of OPENCODE_DB, given by %s', async (_, value, path) => {
      const environment: Record<string, string> = {}
      const harness = createLogHarness({ vars: environment })
      environment.OPENCODE_DB = value(harness.home)
      harness.database(path, createTablesV2, buildRowV2('msg_a', 0))
      await harness.logs.read('opencode')
      expect(harness.figures()).toEqual([[100, 15, 50]])
      expect(await harness.state('opencode')).toMatchObject({ exists: true })
    })

    it.each(['opencode', 'kilo'])('counts the history of a forked %s session once', async (toolId) => {
      const harness = createLogHarness()
      const rows = [0, 1, 2, 3, 4].map((n) => buildRowV1(`msg_a${n}`, n))
      const driver = harness.database(`.local/share/${toolId}/${toolId}.db`, createTablesV1, ...rows)
      await harness.logs.read(toolId)
      driver.exec([0, 1, 2, 3, 4, 9].map((n) => buildRowV1(`msg_f${n}`, n, 'ses_fork')).join(';\n'))
      await harness.reader().read(toolId)
      expect(harness.ledger.all()).toHaveLength(6)
    })

    it.each([
      ['version 1', createTablesV1, buildRowV1],
      ['version 2', createTablesV2, buildRowV2],
    ])('counts rows of %s that were added for a time that was read', async (_, schema, row) => {
      const harness = createLogHarness()
      const buildRowWithInput = (id: string, input: number) => row(id, 0).replace('"input":100', `"input":${input}`)
      const driver = harness.database(openCodeFile, schema, buildRowWithInput('msg_b', 1))
      await harness.logs.read('opencode')
      driver.exec([buildRowWithInput('msg_a', 2), buildRowWithInput('msg_c', 3)].join(';\n'))
      await harness.logs.read('opencode')
      expect(harness.ledger.all()).toHaveLength(3)
    })

    it.each(['opencode', 'kilo'])('counts new rows of %s after its ids wrapped', async (toolId) => {
      const harness = createLogHarness()
      // OpenCode's ids contain the time in 36 bits of milliseconds, so later ids can sort before earlier ones.
      const olderRows = Array.from({ length: 120 }, (_, n) =>
        buildRowV1(`msg_fff${String(n).padStart(3, '0')}`, n - 1000),
      )
      const driver = harness.database(`.local/share/${toolId}/${toolId}.db`, createTablesV1, ...olderRows)
      await harness.logs.read(toolId)
      expect(harness.ledger.all()).toHaveLength(120)
      driver.exec(buildRowV1('msg_00a', 0))
      await harness.logs.read(toolId)
      driver.exec(buildRowV1('msg_00b', 1))
      await harness.reader().read(toolId)
      expect(harness.ledger.all()).toHaveLength(122)
    })

    it('reads again what an older version of this app missed after the ids wrapped', async () => {
      const harness = createLogHarness()
      harness.database(openCodeFile, createTablesV1, buildRowV1('msg_fff', -9), buildRowV1('msg_000', 0))
      await harness.logs.read('opencode')
      await harness.logs.forget('opencode')
      const path = join(harness.home, openCodeFile)
      const { size, mtimeMs } = statSync(path)
      const state = JSON.stringify({ size, mtimeMs, from: 'msg_fff', known: [], notUnderstood: 0 })
      await harness.ledger.addLog([], [{ toolId: 'opencode', path, state }])
      await harness.reader().read('opencode')
      expect(harness.ledger.all()).toHaveLength(2)
    })
  })

  it('counts the history of a copied Cline session once', async () => {
    const harness = createLogHarness()
    harness.copyLogs('cline')
    const folder = join(harness.home, '.cline/data/sessions')
    const text = readFileSync(join(folder, '1795300111013_9xv8t/1795300111013_9xv8t.messages.json'), 'utf8')
    harness.write(
      '.cline/data/sessions/fork/fork.messages.json',
      text.replaceAll('1795300111013_9xv8t', 'fork').replaceAll('msg_', 'new_'),
    )
    await harness.logs.read('cline')
    expect(harness.figures()).toEqual([
      [4472, 2, 0],
      [14, 3, 4456],
    ])
  })

  it('counts the history of a forked Continue session once, and its new responses', async () => {
    const harness = createLogHarness()
    const usage = { model: 'm', completion_tokens: 1 }
    const buildTurn = (prompt_tokens: number) => ({
      message: { role: 'assistant', content: `answer ${prompt_tokens}`, usage: { ...usage, prompt_tokens } },
    })
    const session = (sessionId: string, ...prompts: number[]) => {
      const path = `.continue/sessions/${sessionId}.json`
      harness.write(path, JSON.stringify({ sessionId, history: prompts.map(buildTurn) }))
      // The log has no time per response, so the app uses the modification time of the file.
      utimesSync(join(harness.home, path), new Date(minute(prompts.length)), new Date(minute(prompts.length)))
    }
    session('a', 10, 20)
    await harness.logs.read('continue')
    session('b', 10, 20, 30)
    await harness.reader().read('continue')
    session('a', 10, 20, 40, 50)
    await harness.reader().read('continue')
    const inputs = harness.figures().map(([input]) => input)
    expect(inputs.toSorted()).toEqual([10, 20, 30, 40, 50])
  })

  it('counts the initial totals of a forked Droid session once, and its additions', async () => {
    const harness = createLogHarness()
    const session = (name: string, inputTokens: number, timestamp = '2026-11-21T22:28:42.450Z') =>
      harness.write(
        `.factory/sessions/a/${name}.settings.json`,
        JSON.stringify({
          model: 'custom:m',
          providerLockTimestamp: timestamp,
          tokenUsage: { inputTokens, outputTokens: 1 },
        }),
      )
    session('parent', 100)
    session('copy', 100)
    session('other', 100, '2026-11-21T23:00:00.000Z')
    await harness.logs.read('droid')
    expect(harness.figures()).toEqual([
      [100, 1, 0],
      [100, 1, 0],
    ])
    session('copy', 130)
    session('parent', 150)
    await harness.reader().read('droid')
    // The sessions share responses, which must count once. Either one may be taken for the copy.
    expect(harness.figures().reduce((sum, [input = 0]) => sum + input, 0)).toBe(280)
  })

  it.each([
    ['claude-code', `${claudeFolder}/a.jsonl`, '{"kind":"reply","model":"m","usage":{"in":1}}\n'],
    ['claude-code', `${claudeFolder}/a.jsonl`, `${JSON.stringify(line({ usage: { prompt: 3 } }))}\n`],
    ['claude-code', `${claudeFolder}/a.log`, 'another format'],
    ['qwen-code', '.qwen/usage/usage.db', 'another format'],
    [
      'qwen-code',
      '.qwen/usage/token-usage-2026-11.jsonl',
      '{"id":"1","timestamp":"2026-11-20T01:00:00Z","model":"m","in":4}\n',
    ],
    [
      'continue',
      '.continue/sessions/a.json',
      '{"sessionId":"a","history":[{"message":{"role":"assistant","tokens":4}}]}',
    ],
    ['continue', '.continue/sessions/a.json', '{"id":"a","turns":[]}'],
    [
      'cline',
      '.cline/data/sessions/a/a.messages.json',
      '{"sessionId":"a","messages":[{"role":"assistant","usage":{}}]}',
    ],
    ['cline', '.cline/data/sessions/a/a.json', '{"sessionId":"a"}'],
    [
      'droid',
      '.factory/sessions/a/b.settings.json',
      '{"model":"m","usage":{"in":1},"providerLockTimestamp":"2026-11-20T01:00:00Z"}',
    ],
    ['droid', '.factory/sessions/a/b.settings.json', '{"model":"m","tokenUsage":{"in":1}}'],
    [
      'pi',
      '.pi/agent/sessions/a/b.jsonl',
      '{"type":"message","id":"1","message":{"role":"assistant","usage":{"in":1}}}\n',
    ],
    ['opencode', '.local/share/opencode/storage/message/ses_1/msg_1.json', '{"role":"assistant"}'],
    ['opencode', '.local/share/opencode/opencode.db', 'not a database'],
    ['pi', '.pi/agent/sessions/a/b.json', '{"messages":[]}'],
    ['claude-code', `${claudeFolder}/a.jsonl`, `${JSON.stringify(line({ usage: null }))}\n`],
  ])('reports that the log of %s is unreadable: %s %s', async (toolId, path, text) => {
    const harness = createLogHarness()
    harness.write(path, text)
    await harness.logs.read(toolId)
    expect(await harness.state(toolId)).toMatchObject({ exists: true, notUnderstood: 1 })
    expect(harness.ledger.all()).toEqual([])
  })

  it('does not report an empty folder', async () => {
    const harness = createLogHarness()
    harness.write('.continue/sessions/sessions.json', '[]')
    harness.write('.factory/sessions/a/b.settings.json', '{"model":"m"}')
    harness.database(openCodeFile, createTablesV2)
    for (const toolId of ['continue', 'droid', 'opencode', 'pi']) await harness.logs.read(toolId)
    expect((await harness.logs.states()).map(({ notUnderstood }) => notUnderstood)).toEqual(Array(8).fill(0))
  })

  it('forgets a log and reads it again', async () => {
    const harness = createLogHarness()
    await harness.importLogs('pi')
    await harness.logs.forget('pi')
    expect(harness.ledger.all()).toEqual([])
    await harness.logs.read('pi')
    expect(harness.ledger.all()).toHaveLength(2)
  })
})
