import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../support/app'
import { fileMode } from '../support/canary'
import { addPlan, type CliHarness, expect, findSandboxKey, teamPlan, test } from '../support/cli-desk'
import { runCompanion } from '../support/companion'
import { killBatches } from '../support/tool-kills'
import { claudeFile, installTools, writeUserFile } from '../support/tools'
import { listFilesWithKey, takeSnapshot } from '../tools/folder-snapshot'

const openCodeFile = ({ home }: Machine): string => join(home, '.config/opencode/opencode.json')
const snapshotMachine = ({ home }: Machine): Record<string, string> => takeSnapshot(join(home, '..'))
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const planArgs = ['--plan', teamPlan] as const
const fourTools = ['claude-code', 'opencode', 'kilo', 'qwen-code'] as const

/** Expects exit code 2, nothing on standard output, a message on standard error, and no internals of the program. */
async function expectCommandRefused(
  harness: CliHarness,
  args: readonly string[],
  pattern: RegExp,
  code = 2,
): Promise<void> {
  const snapshotBefore = snapshotMachine(harness.machine)
  const outcome = await harness.run(...args)
  expect(outcome, args.join(' ')).toMatchObject({ code, out: '' })
  expect(outcome.err).toMatch(pattern)
  expect(outcome.err).not.toMatch(/\n\s+at /)
  expect(snapshotMachine(harness.machine)).toEqual(snapshotBefore)
}

test.describe('configure', () => {
  test('changes several tools together after one diff, and restores each byte for byte', async ({ harness }) => {
    const { machine, gatewayUrl, succeed } = harness
    writeUserFile(claudeFile(machine), '{\n  "theme": "dark"\n}\n')
    const snapshotBefore = takeSnapshot(machine.home)
    const dryRunOutput = await succeed('configure', ...fourTools, ...planArgs, '--dry-run')
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
    for (const tool of fourTools) expect(dryRunOutput).toContain(`${tool}:\n`)
    expect(dryRunOutput).toContain(`Requests go to ${gatewayUrl}/v1/messages\n`)
    expect(dryRunOutput).toContain(`Requests go to ${gatewayUrl}/v1/chat/completions\n`)
    expect(dryRunOutput).toMatch(/Nothing was written \(--dry-run\)\.\n$/)
    expect(await succeed('configure', ...fourTools, ...planArgs)).toMatch(/\n4 tools now use team-plan\.\n$/)
    const tools = JSON.parse(await succeed('tools', '--json'))
    const configured = tools.filter(({ status }: { status: string }) => status === 'configured')
    expect(configured.map(({ id }: { id: string }) => id).toSorted()).toEqual([...fourTools].toSorted())
    for (const tool of fourTools)
      expect(await succeed('restore', tool)).toContain(`Undid the configuration of ${tool}.\n`)
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
  })

  test('writes none of several when one of them cannot be changed, and names it', async ({ harness }) => {
    const { machine } = harness
    writeUserFile(openCodeFile(machine), '{\n  "model": "a/b"\n  "theme": "x"\n}\n')
    await expectCommandRefused(
      harness,
      ['configure', 'claude-code', 'opencode', ...planArgs],
      /^companion: opencode: .*line 3/,
      1,
    )
    await expectCommandRefused(harness, ['configure', 'claude-code', 'cursor', ...planArgs], /^companion: cursor: /, 1)
    await expectCommandRefused(
      harness,
      ['configure', 'claude-code', 'nano', ...planArgs],
      /nano.*claude-code, opencode/s,
      1,
    )
  })

  test('with --all configures installed tools that need no consent, and fails for those that it could not', async ({
    harness,
  }) => {
    const { machine, run, succeed } = harness
    await expectCommandRefused(
      harness,
      ['configure', '--all', ...planArgs],
      /No installed tool that the app can configure/,
      1,
    )
    installTools(machine, ['claude', 'opencode', 'cline', 'codex'])
    const firstRun = await run('configure', '--all', ...planArgs)
    expect(firstRun).toMatchObject({ code: 2, err: '' })
    expect(firstRun.out).toMatch(/\n2 tools now use team-plan\.\n$/)
    expect(firstRun.out).toMatch(/^Skipped cline: it needs "companion configure cline --delivery plain"/m)
    expect(firstRun.out).toMatch(/^Skipped codex: it needs "companion configure codex --route relay"/m)
    await succeed('restore', 'opencode')
    writeUserFile(openCodeFile(machine), '{ "model": ')
    const second = await run('configure', '--all', ...planArgs, '--model', 'aurora-small')
    expect(second).toMatchObject({ code: 1, err: '' })
    expect(second.out).toMatch(/\nCan't configure opencode: .*\n(?:Skipped .*\n)+1 tool now uses team-plan\.\n$/)
    expect(json(claudeFile(machine)).env.ANTHROPIC_MODEL).toBe('aurora-small')
    expect(readFileSync(openCodeFile(machine), 'utf8')).toBe('{ "model": ')
    const project = join(machine.home, 'project')
    mkdirSync(project)
    const projectResult = await run('configure', '--all', ...planArgs, '--project', project)
    expect(projectResult.code, projectResult.out).toBe(2)
    expect(existsSync(join(project, '.claude/settings.local.json'))).toBe(true)
    expect(existsSync(join(project, 'opencode.json'))).toBe(true)
  })

  test('sets each slot, and keeps or removes the named settings', async ({ harness }) => {
    const { machine, succeed } = harness
    const ownSettings =
      '{\n  "model": "opus",\n  "env": { "ANTHROPIC_API_KEY": "sk-mine", "CLAUDE_CODE_USE_BEDROCK": "1" }\n}\n'
    writeUserFile(claudeFile(machine), ownSettings)
    const args = ['configure', 'claude-code', ...planArgs]
    const dryRun = await succeed(...args, '--dry-run')
    expect(dryRun).toMatch(/^note: env\.CLAUDE_CODE_USE_BEDROCK switches .* --take-out removes it\.$/m)
    expect(dryRun).toMatch(/^note: The tool has its own model setting \(model\)\. .* --take-out removes it\.$/m)
    const modelOptions = ['--slot', 'opus=aurora-small', '--small-model', 'vega-coder']
    const removeOptions = ['--take-out', 'model', 'env.CLAUDE_CODE_USE_BEDROCK']
    await succeed(...args, ...modelOptions, ...removeOptions, '--keep', 'env.ANTHROPIC_API_KEY')
    const { model, env } = json(claudeFile(machine))
    expect({ model, ...env }).toMatchObject({
      model: undefined,
      ANTHROPIC_API_KEY: 'sk-mine',
      ANTHROPIC_MODEL: 'aurora-large',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'aurora-small',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'aurora-large',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'vega-coder',
    })
    expect(env).not.toHaveProperty('CLAUDE_CODE_USE_BEDROCK')
    await succeed('restore', 'claude-code')
    expect(readFileSync(claudeFile(machine), 'utf8')).toBe(ownSettings)
  })

  test('writes a key in plain text only with the explicit option', async ({ harness }) => {
    const { machine, key, succeed } = harness
    await expectCommandRefused(
      harness,
      ['configure', 'cline', ...planArgs],
      /key of cline in plain text\. To allow it, run "companion configure cline --plan team-plan --delivery plain"/,
    )
    await expectCommandRefused(harness, ['configure', 'claude-code', 'cline', ...planArgs], /plain text/)
    expect(await succeed('configure', 'cline', ...planArgs, '--dry-run')).toContain('[secret]')
    await succeed('configure', 'cline', ...planArgs, '--delivery', 'plain')
    const [path = ''] = listFilesWithKey(machine.home, key)
    expect(fileMode(path)).toBe(0o600)
    await succeed('restore', 'cline')
    expect(listFilesWithKey(machine.home, key)).toEqual([])
  })

  test("writes a project's file separately from the user's, and undoes each separately", async ({ harness }) => {
    const { machine, succeed, run } = harness
    const project = join(machine.home, 'work/shop')
    mkdirSync(project, { recursive: true })
    const projectOptions = ['--project', project] as const
    await succeed('configure', 'claude-code', ...planArgs)
    await succeed('configure', 'claude-code', ...planArgs, ...projectOptions, '--model', 'aurora-small')
    const localSettingsPath = join(project, '.claude/settings.local.json')
    expect(json(localSettingsPath).env.ANTHROPIC_MODEL).toBe('aurora-small')
    expect(json(claudeFile(machine)).env.ANTHROPIC_MODEL).toBe('aurora-large')
    const [tool] = JSON.parse(await succeed('tools', '--json'))
    expect(tool).toMatchObject({
      id: 'claude-code',
      status: 'configured',
      setups: [
        { site: { kind: 'project', folder: project }, status: 'configured', applied: { modelCode: 'aurora-small' } },
      ],
    })
    expect(await succeed('verify', 'claude-code', ...projectOptions)).toContain('aurora-small responded')
    await succeed('restore', 'claude-code', ...projectOptions)
    expect(existsSync(join(project, '.claude'))).toBe(false)
    expect(existsSync(claudeFile(machine))).toBe(true)
    expect(await run('restore', 'claude-code', ...projectOptions)).toMatchObject({ code: 1, out: '' })
  })

  test('points a tool at another plan or key, and back', async ({ harness }) => {
    const { machine, sandbox, gatewayUrl, key, succeed } = harness
    await addPlan(machine, {
      name: 'ci',
      gateway: gatewayUrl,
      key: findSandboxKey(sandbox, 'ci-runner'),
      models: ['vega-coder'],
    })
    await succeed('configure', 'claude-code', 'opencode', ...planArgs)
    await succeed('configure', 'claude-code', 'opencode', '--plan', 'ci')
    expect(json(openCodeFile(machine)).model).toBe('platform-companion/vega-coder')
    expect(listFilesWithKey(join(machine.home, '..'), key)).toEqual([])
    expect(await succeed('verify', 'opencode')).toContain('vega-coder responded')
    await succeed('configure', 'claude-code', 'opencode', ...planArgs, '--key', 'default-key')
    expect(await succeed('verify', 'claude-code')).toContain('aurora-large responded')
    expect(listFilesWithKey(join(machine.home, '..'), findSandboxKey(sandbox, 'ci-runner'))).toEqual([])
  })
})

test.describe('restore --all', () => {
  test('requires --yes, shows what it would do without it, and leaves no trace', async ({ harness }) => {
    const { machine, run, succeed } = harness
    const project = join(machine.home, 'work')
    mkdirSync(project)
    writeUserFile(claudeFile(machine), '{"theme": "dark"}')
    const snapshotBefore = takeSnapshot(machine.home)
    await succeed('configure', ...fourTools, ...planArgs)
    await succeed('configure', 'opencode', ...planArgs, '--project', project)
    const configured = takeSnapshot(machine.home)
    const settings = join(machine.dataDir, 'settings.json')
    writeFileSync(settings, JSON.stringify({ ...json(settings), mcp: { allowed: [], recordsArguments: true } }))
    const unconfirmedRun = await run('restore', '--all')
    expect(unconfirmedRun).toMatchObject({ code: 2, out: '' })
    expect(unconfirmedRun.err).toMatch(
      /^This undoes the configuration of: .*claude-code.*\ncompanion: Nothing was changed\. Add --yes/,
    )
    expect(await succeed('restore', '--all', '--dry-run')).toMatch(/Nothing was written \(--dry-run\)\.\n$/)
    expect(takeSnapshot(machine.home)).toEqual(configured)
    expect(json(settings)).toMatchObject({ mcp: { recordsArguments: true } })
    expect(await succeed('restore', '--all', '--yes')).toMatch(/\nUndid 5 configurations\.\n$/)
    expect(json(settings)).toMatchObject({ mcp: { recordsArguments: false } })
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
    expect(await succeed('restore', '--all', '--yes')).toBe('Undid 0 configurations.\n')
  })

  test('restores the others when one fails, names it, and fails', async ({ harness }) => {
    const { machine, run, succeed } = harness
    await succeed('configure', 'claude-code', 'opencode', ...planArgs)
    writeFileSync(openCodeFile(machine), '{ "model": ')
    const outcome = await run('restore', '--all', '--yes')
    expect(outcome.code).toBe(1)
    expect(outcome.out).toMatch(/\nCan't configure opencode: .*\nUndid 1 configuration\.\n$/)
    expect(existsSync(claudeFile(machine))).toBe(false)
    expect(readFileSync(openCodeFile(machine), 'utf8')).toBe('{ "model": ')
  })
})

test.describe('history and rewind', () => {
  test('list every write, newest first, and restore files as they were before any of them', async ({ harness }) => {
    const { machine, run, succeed } = harness
    writeUserFile(claudeFile(machine), '{"theme": "dark"}')
    expect(await succeed('history')).toMatch(/^CHANGE +AT +WHAT +TOOLS +PLAN +STATE\n$/)
    const states = [takeSnapshot(machine.home)]
    const writes = [
      ['configure', 'claude-code', ...planArgs],
      ['configure', 'claude-code', 'opencode', ...planArgs, '--model', 'aurora-small'],
      ['restore', 'claude-code'],
    ]
    for (const args of writes) {
      await succeed(...args)
      states.push(takeSnapshot(machine.home))
    }
    const entries = JSON.parse(await succeed('history', '--json'))
    expect(entries).toMatchObject([
      { state: 'done', tools: [{ toolId: 'claude-code', kind: 'restore' }] },
      {
        tools: [
          { toolId: 'claude-code', kind: 'apply', modelCode: 'aurora-small' },
          { toolId: 'opencode', planName: teamPlan },
        ],
      },
      { tools: [{ toolId: 'claude-code', kind: 'apply', modelCode: 'aurora-large', delivery: 'helper' }] },
    ])
    expect(await succeed('history')).toMatch(/\n\S+ +\S+Z +apply +claude-code, opencode +team-plan +done\n/)
    expect(JSON.parse(await succeed('history', 'opencode', '--json'))).toHaveLength(1)
    const [last, second, first] = entries.map(({ id }: { id: string }) => id)
    expect(await succeed('rewind', second, '--dry-run')).toMatch(/Nothing was written \(--dry-run\)\.\n$/)
    expect(takeSnapshot(machine.home)).toEqual(states[3])
    for (const [id, expectedSnapshot] of [
      [last, states[2]],
      [second, states[1]],
      [first, states[0]],
    ] as const) {
      expect(await succeed('rewind', id)).toMatch(/The files are reverted to before that change\.\n$/)
      expect(takeSnapshot(machine.home), id).toEqual(expectedSnapshot)
    }
    const [undoing] = JSON.parse(await succeed('history', '--json'))
    expect(undoing.tools).toMatchObject([{ toolId: 'claude-code', kind: 'rewind' }])
    await succeed('rewind', undoing.id)
    expect(takeSnapshot(machine.home)).toEqual(states[1])
    expect(await succeed('verify', 'claude-code')).toContain('aurora-large responded')
    expect(await run('rewind', 'nothing')).toMatchObject({
      code: 1,
      err: 'companion: There is no write nothing in the history.\n',
    })
  })

  test('show later changes before removing them, and can restore them', async ({ harness }) => {
    const { machine, succeed } = harness
    await succeed('configure', 'claude-code', ...planArgs)
    const [{ id }] = JSON.parse(await succeed('history', '--json'))
    const changedSettings = readFileSync(claudeFile(machine), 'utf8').replace('{', '{\n  "theme": "dark",')
    writeFileSync(claudeFile(machine), changedSettings)
    expect(await succeed('rewind', id, '--dry-run')).toContain('-   "theme": "dark",')
    await succeed('rewind', id)
    expect(existsSync(claudeFile(machine))).toBe(false)
    const [undoing] = JSON.parse(await succeed('history', '--json'))
    await succeed('rewind', undoing.id)
    expect(readFileSync(claudeFile(machine), 'utf8')).toBe(changedSettings)
  })
})

test.describe('doctor', () => {
  test('checks the folder where the tool runs, and names the overriding file and setting', async ({ harness }) => {
    const { machine, run, succeed } = harness
    installTools(machine)
    await succeed('configure', 'claude-code')
    const project = join(machine.home, 'work')
    const settings = join(project, '.claude/settings.json')
    writeUserFile(settings, '{ "env": { "ANTHROPIC_BASE_URL": "https://other.example.com" } }')
    const projectDiagnosis = await run('diagnose', 'claude-code', '--project', project)
    expect(projectDiagnosis.code).toBe(1)
    expect(projectDiagnosis.out).toContain(
      `The setting env.ANTHROPIC_BASE_URL in ${settings} sends the requests of Claude Code`,
    )
    expect((await run('diagnose', '--project', project)).out).toContain(settings)
    expect(await succeed('diagnose', 'claude-code')).toMatch(/^Claude Code: ok\n/)
    const agent = join(machine.home, '.claude/agents/review.md')
    writeUserFile(agent, '---\nmodel: gpt-5\n---\n')
    expect(await succeed('tools')).toContain(
      `claude-code: The setting model in ${agent} names a model that your plan does not have.`,
    )
  })

  test('checks one or all tools, reports the cost, and exits with 1 when something fails', async ({ harness }) => {
    const { machine, sandbox, gatewayUrl, run, succeed } = harness
    await expectCommandRefused(harness, ['doctor'], /^companion: No tool is configured by this app\.\n$/, 1)
    installTools(machine)
    await succeed('configure', 'claude-code', 'opencode', ...planArgs)
    const claudeReport = await succeed('doctor', 'claude-code')
    expect(claudeReport).toMatch(/^Claude Code: ok\n {2}ok {6}Tool is installed /)
    expect(claudeReport).toMatch(/Live request succeeds http:\S+\/v1\/messages \(\d+ ms, \d+ tokens in, \d+ out\)\n$/)
    const report = JSON.parse(await succeed('doctor', 'opencode', '--json'))
    expect(report).toMatchObject({ toolId: 'opencode', site: { kind: 'user' }, outcome: 'ok' })
    expect(report.findings.at(-1)).toMatchObject({
      check: 'realRequest',
      subject: `${gatewayUrl}/v1/chat/completions`,
      inputTokens: expect.any(Number),
    })
    expect(JSON.parse(await succeed('doctor', '--json'))).toMatchObject([
      { toolId: 'claude-code' },
      { toolId: 'opencode' },
    ])
    await sandbox.control('/keys/key-pro-default', { status: 'DISABLED' })
    const doctorRun = await run('doctor')
    expect(doctorRun).toMatchObject({ code: 1, err: '' })
    expect(doctorRun.out).toMatch(/^Claude Code: failed\n.*\nOpenCode: failed\n/s)
    expect(doctorRun.out).toMatch(/failed {2}.*rejected the key.*\.\n {4}companion key list team-plan\n/)
    expect(await run('doctor', 'opencode', '--json')).toMatchObject({ code: 1, err: '' })
  })

  test('checks the other tools when a project is missing, and reports that', async ({ harness }) => {
    const { machine, run, succeed } = harness
    installTools(machine)
    const project = join(machine.home, 'gone')
    mkdirSync(project)
    await succeed('configure', 'claude-code', ...planArgs)
    await succeed('configure', 'claude-code', ...planArgs, '--project', project)
    rmSync(project, { recursive: true })
    const lines = await run('doctor')
    expect(lines).toMatchObject({ code: 1, err: '' })
    expect(lines.out).toMatch(/^Claude Code: ok\n.*\nclaude-code: There is no folder .*gone\. .*\n$/s)
    const { code, out } = await run('doctor', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject([
      { outcome: 'ok' },
      { toolId: 'claude-code', ok: false, failure: { code: 'input.invalid' } },
    ])
  })
})

test.describe('snippet', () => {
  test('prints the configuration as text for other machines, with a variable for the key', async ({ harness }) => {
    const { machine, gatewayUrl, succeed } = harness
    const snapshotBefore = snapshotMachine(machine)
    const snippetText = await succeed('snippet', 'claude-code', ...planArgs, '--model', 'aurora-small')
    for (const kind of ['file', 'shell', 'powershell', 'devcontainer', 'ci'])
      expect(snippetText).toMatch(new RegExp(`^# ${kind}`, 'm'))
    expect(snippetText).toContain(`export ANTHROPIC_BASE_URL=${gatewayUrl}`)
    const snippets = JSON.parse(await succeed('snippet', 'opencode', ...planArgs, '--json'))
    const file = snippets.find(({ kind }: { kind: string }) => kind === 'file')
    expect(file.path).toBe(openCodeFile(machine))
    expect(JSON.parse(file.text)).toMatchObject({ model: 'platform-companion/aurora-large' })
    expect(snapshotMachine(machine)).toEqual(snapshotBefore)
  })
})

test.describe('profile and use', () => {
  test('save the setups of tools, and switch all of them with one command', async ({ harness }) => {
    const { machine, run, succeed } = harness
    await succeed('configure', 'claude-code', 'opencode', ...planArgs)
    expect(await succeed('profile', 'save', 'work')).toBe('Saved work: claude-code, opencode.\n')
    await succeed('configure', 'claude-code', 'opencode', ...planArgs, '--model', 'aurora-small')
    await succeed('profile', 'save', 'client A', '--tool', 'claude-code')
    const list = await succeed('profile', 'list')
    expect(list).toMatch(
      /^PROFILE +STATE +TOOLS +PLANS\nwork +- +claude-code, opencode +team-plan\nclient A +in use +claude-code +team-plan\n$/,
    )
    const preview = await succeed('use', 'work', '--dry-run')
    expect(preview).toContain('-     "ANTHROPIC_MODEL": "aurora-small"')
    expect(preview).toMatch(/Nothing was written \(--dry-run\)\.\n$/)
    expect(json(claudeFile(machine)).env.ANTHROPIC_MODEL).toBe('aurora-small')
    expect(await succeed('use', 'WORK')).toMatch(/\nSwitched to work\.\n$/)
    expect(json(claudeFile(machine)).env.ANTHROPIC_MODEL).toBe('aurora-large')
    expect(json(openCodeFile(machine)).model).toBe('platform-companion/aurora-large')
    await succeed('use', 'client A')
    expect(json(claudeFile(machine)).env.ANTHROPIC_MODEL).toBe('aurora-small')
    expect(json(openCodeFile(machine)).model).toBe('platform-companion/aurora-large')
    await expectCommandRefused(
      harness,
      ['profile', 'remove', 'work'],
      /Tools are not changed\.\ncompanion: Nothing was changed\. Add --yes/,
    )
    await succeed('profile', 'remove', 'work', '--yes')
    expect(await run('use', 'work')).toMatchObject({ code: 1, err: 'companion: There is no profile work.\n' })
    expect(await run('profile', 'save', 'Client a')).toMatchObject({ code: 1, out: '' })
  })

  test('ask once before a key is written in plain text', async ({ harness }) => {
    const { machine, key, succeed } = harness
    await succeed('configure', 'claude-code', ...planArgs, '--delivery', 'plain')
    await succeed('profile', 'save', 'plain')
    await succeed('restore', 'claude-code')
    await expectCommandRefused(harness, ['use', 'plain'], /plain text\. Add --plain-text to allow it/)
    expect(listFilesWithKey(join(machine.home, '..'), key)).toEqual([])
    await succeed('use', 'plain', '--plain-text')
    expect(listFilesWithKey(join(machine.home, '..'), key)).toEqual([claudeFile(machine)])
    expect(await succeed('use', 'plain')).toContain('Nothing to change.')
  })

  test('write nothing when one of the tools cannot be switched', async ({ harness }) => {
    const { machine, succeed } = harness
    await succeed('configure', 'claude-code', 'opencode', ...planArgs)
    await succeed('profile', 'save', 'work')
    await succeed('restore', '--all', '--yes')
    writeUserFile(openCodeFile(machine), '{ "model": ')
    await expectCommandRefused(harness, ['use', 'work'], /^companion: opencode: .*Nothing was written\.\n$/, 1)
  })

  test('share a profile as a file without a key, which the teammate supplies', async ({ harness }) => {
    const { machine, sandbox, key, gatewayUrl, run, succeed } = harness
    await succeed('configure', 'claude-code', 'opencode', ...planArgs, '--model', 'aurora-small')
    await succeed('profile', 'save', 'shop team')
    const text = await succeed('profile', 'export', 'shop team')
    expect(text).not.toContain(key)
    expect(text).not.toContain(machine.home)
    const path = join(machine.home, 'shop.profile.json')
    writeFileSync(path, text)
    await succeed('restore', '--all', '--yes')

    const colleagueMachine: Machine = { ...machine, dataDir: join(machine.home, '../mate') }
    mkdirSync(colleagueMachine.dataDir)
    const runAsTeammate = (...args: readonly string[]) => runCompanion(colleagueMachine, args)
    const refusedImport = await runAsTeammate('profile', 'import', path)
    expect(refusedImport).toMatchObject({ code: 1, out: '' })
    expect(refusedImport.err).toMatch(/No plan on this computer uses the gateway of team-plan\. .*--plan plan-1=NAME/)
    await addPlan(colleagueMachine, { name: 'mine', gateway: gatewayUrl, key: findSandboxKey(sandbox, 'ci-runner') })
    expect((await runAsTeammate('profile', 'import', path)).out).toBe(
      "Saved shop team. Switch to it: companion use 'shop team'\n",
    )
    expect(await runAsTeammate('use', 'shop team')).toMatchObject({ code: 0 })
    const { apiKeyHelper, env } = json(claudeFile(machine))
    expect(env.ANTHROPIC_MODEL).toBe('aurora-small')
    expect(apiKeyHelper).toContain(colleagueMachine.dataDir)
    expect((await runAsTeammate('verify', 'claude-code')).out).toContain('aurora-small responded')
    const renamedImport = await runCompanion(
      colleagueMachine,
      ['profile', 'import', '-', '--name', 'again', '--plan', 'plan-1=mine'],
      {
        input: text,
      },
    )
    expect(renamedImport).toMatchObject({ code: 0, out: 'Saved again. Switch to it: companion use again\n' })
    expect(await runAsTeammate('restore', '--all', '--yes')).toMatchObject({ code: 0 })

    const corruptText = text.replace('"ref"', `"apiKey": "${key}", "ref"`)
    writeFileSync(path, corruptText)
    expect((await run('profile', 'import', path)).err).toMatch(
      /apiKey.*A profile never contains a key or another secret/,
    )
  })

  test('name a removed plan', async ({ harness }) => {
    const { machine, sandbox, gatewayUrl, succeed } = harness
    await addPlan(machine, {
      name: 'ci',
      gateway: gatewayUrl,
      key: findSandboxKey(sandbox, 'ci-runner'),
      models: ['vega-coder'],
    })
    await succeed('configure', 'claude-code', '--plan', 'ci')
    await succeed('profile', 'save', 'ci')
    await succeed('restore', 'claude-code')
    await succeed('plan', 'remove', 'ci')
    await expectCommandRefused(
      harness,
      ['use', 'ci'],
      /The profile ci uses what is no longer on this computer: ci\./,
      1,
    )
    expect(await succeed('profile', 'list')).toMatch(/\nci +incomplete +claude-code +ci\n$/)
  })
})

test.describe('an invalid command', () => {
  const calls: readonly (readonly [readonly string[], RegExp])[] = [
    [['configure', ...planArgs], /Name at least one tool, or use --all/],
    [['configure', 'claude-code', '--all', ...planArgs], /not both/],
    [['configure', 'claude-code', ...planArgs, '--slot', 'opus'], /name=value/],
    [
      ['configure', 'claude-code', ...planArgs, '--slot', 'fast=aurora-small'],
      /no model slot fast\. It has: opus, sonnet, small/,
    ],
    [['configure', 'claude-code', ...planArgs, '--slot', 'opus=a b'], /A model code has no spaces/],
    [['configure', 'claude-code', ...planArgs, '--model', ''], /A model code has no spaces/],
    [['configure', 'claude-code', ...planArgs, '--project', 'here', '--wsl', 'Ubuntu'], /cannot be used with/],
    [
      ['configure', 'claude-code', ...planArgs, '--project', '/nowhere/at/all'],
      /There is no folder \/nowhere\/at\/all/,
    ],
    [['configure', 'kilo', ...planArgs, '--project', '.'], /has no settings in this scope/],
    [['restore'], /Name a tool, or use --all/],
    [['restore', 'claude-code', '--all', '--yes'], /without a tool and without a scope/],
    [['restore', '--all', '--yes', '--project', '.'], /without a tool and without a scope/],
    [['rewind'], /missing required argument/],
    [['use'], /missing required argument/],
    [['profile', 'nonsense'], /unknown command|companion profile/],
    [['profile', 'import', '-', '--plan', 'plan-1'], /name=value/],
  ]
  for (const [args, pattern] of calls) {
    test(`is refused with exit code 2 and a reason: companion ${args.join(' ')}`, async ({ harness }) => {
      await expectCommandRefused(harness, args, pattern)
    })
  }

  test('differs from a missing object, which exits with 1', async ({ harness }) => {
    for (const [args, pattern] of [
      [['configure', 'claude-code', '--plan', 'none'], /Plan none not found/],
      [
        ['configure', 'claude-code', ...planArgs, '--key', 'none'],
        /no key none on this computer. Its keys: default-key/,
      ],
      [['doctor', 'nano'], /claude-code, opencode/],
      [['history', 'nano'], /claude-code, opencode/],
      [['snippet', 'codex', ...planArgs], /Codex/],
      [['profile', 'export', 'none'], /There is no profile none/],
      [['profile', 'import', '/nowhere.json'], /nowhere\.json/],
      [['profile', 'save', 'empty'], /at least one configured tool/],
    ] as const) {
      await expectCommandRefused(harness, args, pattern, 1)
    }
  })
})

test('a batch that is killed at any moment is complete or undone after the next command', async ({ harness }) => {
  await killBatches(harness, 4)
})
