import { readFileSync, writeFileSync } from 'node:fs'
import { RotationView } from '@shared/contract'
import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { addRotateCommands } from '../../../../src/main/cli/rotate'
import { type Harness, settingsFile, startHarness } from '../keys/rotation/harness'
import type { MachineParts } from '../keys/rotation/machine'
import { runAddedCommand } from './desk'

const claude = { toolId: 'claude-code', delivery: 'helper' } as const

/**
 * Runs `companion rotate ...` on the test environment. Each command uses newly created features, like a new process.
 */
async function run(
  harness: Harness,
  args: readonly string[],
  clock = () => new Date(),
  { listHandovers }: Pick<MachineParts, 'listHandovers'> = {},
) {
  const { rotation, plans, settings } = harness.open({ clock, ...(listHandovers && { listHandovers }) })
  const loadTools = async () => ({ rotation, register: { disableDue: async () => [] } })
  return runAddedCommand(addRotateCommands, { core: { plans, settings, loadTools } }, ['rotate', ...args])
}

const rotateArguments = ['start', '--plan', 'sandbox-pro', '--key', 'default-key']

describe('rotate start', () => {
  it('without --yes shows the steps and changes nothing', async () => {
    const harness = await startHarness([claude])
    const { out, err, failure } = await run(harness, rotateArguments)
    expect(failure).toMatchObject({ code: 'input.invalid', field: 'yes' })
    expect(out).toBe('')
    expect(err).toMatch(/1\. Create default-key-\d{4}-\d\d-\d\d in sandbox-pro \(2 of 5 keys used\)/)
    expect(err).toContain('Switch to it: Claude Code, profile work.')
    expect(err).toContain('Delete default-key after 1d. You can undo the rotation until then.')
    expect(await harness.listKeyNames()).toEqual(['default-key ACTIVE', 'old-laptop DISABLED'])
  })

  it('with --yes runs them, reports each on standard error, and prints the result', async () => {
    const harness = await startHarness([claude])
    const { out, err, code } = await run(harness, [...rotateArguments, '--grace', '0', '--name', 'fresh', '--yes'])
    expect(code).toBe(0)
    expect(err).toContain('done   Test each tool\n')
    expect(err).toContain('done   Delete old key\n')
    expect(out).toMatch(/^default-key of sandbox-pro -> fresh: done\.$/m)
    expect(await harness.listKeyNames()).toEqual(['old-laptop DISABLED', 'fresh ACTIVE'])
    await harness.requireConsistentState([claude])
  })

  it('names the tools to restart when the old key is disabled, before and during that step', async () => {
    const harness = await startHarness([claude, { toolId: 'opencode', delivery: 'file' }])
    const text = 'Restart OpenCode if it is running: it keeps the old key in memory'
    expect((await run(harness, rotateArguments)).err).toMatch(
      new RegExp(`Disable default-key 1h after the switch .* ${text}`),
    )
    const { out, err } = await run(harness, [...rotateArguments, '--disable-by', 'now', '--yes'])
    for (const output of [out, err]) expect(output).toMatch(new RegExp(`Disable old key\n +${text}`))
  })

  it('keeps both keys active for the chosen time, says what to restart, and disables the old key on --now', async () => {
    const harness = await startHarness([{ toolId: 'opencode', delivery: 'file' }])
    const { out, code } = await run(harness, [...rotateArguments, '--disable-by', '30m', '--grace', '0', '--yes'])
    expect(code).toBe(0)
    expect(out).toMatch(/: both keys work until .* UTC\.$|: both keys work until /m)
    expect(out).toContain('Restart OpenCode if it is running')
    expect(out).toContain('Other computers that use this key are not known')
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    expect((await run(harness, ['resume', '--now'])).out).toContain(': done.')
  })

  it('waits for the end of the grace period, after which resume deletes the old key', async () => {
    const harness = await startHarness([claude])
    const { out } = await run(harness, ['--json', ...rotateArguments, '--grace', '7d', '--yes'])
    const view = RotationView.parse(JSON.parse(out))
    expect(view.state).toBe('waiting')
    expect((await run(harness, ['resume'])).out).toContain('is deleted at')
    expect((await run(harness, ['status'])).out).toMatch(/waiting until .* UTC/)
    const getTimeInAWeek = () => new Date(Date.now() + 7 * 86_400_000 + 1000)
    expect((await run(harness, ['resume', view.id.slice(0, 8)], getTimeInAWeek)).out).toContain(': done.')
    expect(await harness.listKeyNames()).not.toContain('default-key DISABLED')
  })

  it('exits with 1 when a tool keeps both keys alive, and names it', async () => {
    const harness = await startHarness([claude])
    const path = settingsFile(harness, claude)
    const textBefore = readFileSync(path, 'utf8')
    writeFileSync(path, textBefore.replace('"ANTHROPIC_MODEL": "aurora-large"', '"ANTHROPIC_MODEL": "other"'))
    const { out, code } = await run(harness, [...rotateArguments, '--yes'])
    expect(code).toBe(1)
    expect(out).toMatch(/failed +Claude Code: The settings of Claude Code were modified/)
    writeFileSync(path, textBefore)
    expect((await run(harness, ['resume'])).code).toBe(0)
  })

  it.each(['1', '1w', '31d', '-1h', 'soon'])('refuses a grace period of %s', async (grace) => {
    const harness = await startHarness([])
    expect((await run(harness, [...rotateArguments, '--grace', grace])).failure).toBeInstanceOf(CommanderError)
  })
})

describe('a key with a holder', () => {
  const openHandover = {
    listHandovers: () => [{ holder: { kind: 'person' as const, name: 'Lan' }, state: 'open' as const }],
  }
  const clock = () => new Date()

  it('works until it is confirmed or until --now', async () => {
    const harness = await startHarness([claude])
    const rotateRun = await run(harness, rotateArguments, clock, openHandover)
    expect(rotateRun.err).toMatch(/Disable default-key when every holder has confirmed/)
    expect(rotateRun.err).toContain('Also held by Lan: issue')
    const { out } = await run(harness, [...rotateArguments, '--grace', '0', '--yes'], clock, openHandover)
    expect(out).toContain('the old key works until its holders have confirmed the new one.')
    expect(out).toMatch(/^ {2}not issued +Lan$/m)
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    expect((await run(harness, ['resume'], clock, openHandover)).out).toContain('works until its holders')
    expect((await run(harness, ['resume', '--now'], clock, openHandover)).out).toContain(': done.')
    expect(await harness.listKeyNames()).not.toContain('default-key ACTIVE')
  })

  it('works until the chosen day at most, and stops with --now', async () => {
    const harness = await startHarness([])
    const { out } = await run(harness, [...rotateArguments, '--yes', '--disable-by', '2099-12-24'], clock, openHandover)
    expect(out).toMatch(/until 2099-12-24 .*at the latest\./)
    const otherHarness = await startHarness([])
    const { out: endedOutput } = await run(
      otherHarness,
      [...rotateArguments, '--grace', '0', '--yes', '--disable-by', 'now'],
      clock,
      openHandover,
    )
    expect(endedOutput).toContain(': done.')
  })

  it.each(['2026-02-31', '2026-13-01', '24.12.2099', 'tomorrow', '2020-01-01', '2099-12-24x'])(
    'is not rotated for the day %s',
    async (day) => {
      const harness = await startHarness([])
      const { failure } = await run(harness, [...rotateArguments, '--yes', '--disable-by', day], clock, openHandover)
      expect(failure).toBeInstanceOf(CommanderError)
      expect((await harness.listKeyNames()).length).toBe(2)
    },
  )
})

it('rotate undo restores the old key with --yes, and without shows what would happen', async () => {
  const harness = await startHarness([claude])
  await run(harness, [...rotateArguments, '--yes'])
  const rotateRun = await run(harness, ['undo'])
  expect(rotateRun.failure).toMatchObject({ field: 'yes' })
  expect(rotateRun.err).toContain('Every tool switches back to default-key')
  expect((await run(harness, ['undo', '--yes'])).out).toContain(': undone.')
  expect(await harness.listKeyNames()).toEqual(['default-key ACTIVE', 'old-laptop DISABLED'])
  expect((await run(harness, ['undo', '--yes'])).failure).toMatchObject({ code: 'rotation.notFound' })
  await harness.requireConsistentState([claude])
})

describe('rotate status, stop and resume', () => {
  it('report that there is nothing', async () => {
    const harness = await startHarness([])
    expect((await run(harness, ['status'])).out).toBe('No rotations yet.\n')
    expect((await run(harness, ['status', 'abc'])).failure).toMatchObject({ code: 'rotation.notFound' })
    expect((await run(harness, ['stop'])).failure).toMatchObject({ code: 'rotation.notFound' })
  })

  it('pause and resume the deletion of the old key', async () => {
    const harness = await startHarness([])
    await run(harness, [...rotateArguments, '--yes'])
    expect((await run(harness, ['stop'])).out).toContain(': stopped.')
    const { out } = await run(harness, ['--json', 'status'])
    expect(JSON.parse(out).map((view: unknown) => RotationView.parse(view).state)).toEqual(['stopped'])
    const getLaterTime = () => new Date(Date.now() + 25 * 3_600_000)
    expect((await run(harness, ['resume'], getLaterTime)).out).toContain(': done.')
  })

  it('accept a confirmation that a key was entered in a tool', async () => {
    const manualTool = { toolId: 'qwen-code', delivery: 'env' } as const
    const harness = await startHarness([manualTool])
    const { out } = await run(harness, [...rotateArguments, '--disable-by', 'now', '--yes'])
    expect(out).toContain("where this app can't write")
    expect((await run(harness, ['resume', '--by-hand', 'claude-code'])).failure).toMatchObject({ field: 'byHand' })
    expect((await run(harness, ['resume', '--by-hand', 'qwen-code'])).out).toContain('is deleted at')
  })
})

describe('a schedule', () => {
  it('shows the steps, is listed, starts when it is due, and is removed', async () => {
    const harness = await startHarness([claude])
    const scheduleArguments = [...rotateArguments, '--every', '30', '--disable-by', 'now', '--grace', '0']
    const preview = await run(harness, scheduleArguments)
    expect([preview.failure, preview.err]).toMatchObject([
      { field: 'yes' },
      expect.stringMatching(/1\. Create .*Starts on .*, then every 30 days, while the app runs\./s),
    ])
    expect((await run(harness, [...scheduleArguments, '--yes'])).out).toMatch(/default-key .* 30 days/)
    expect((await run(harness, ['due'])).out).toBe('Nothing is due.\n')
    const inAMonth = () => new Date(Date.now() + 31 * 86_400_000)
    expect((await run(harness, ['due'], inAMonth)).out).toBe('Rotated default-key of sandbox-pro.\n')
    expect(await harness.listKeyNames()).not.toContain('default-key ACTIVE')
  })

  it('is removed by the name of its key, and needs a future day and no fixed end', async () => {
    const harness = await startHarness([claude])
    expect((await run(harness, [...rotateArguments, '--on', '2099-01-01', '--yes'])).code).toBe(0)
    expect((await run(harness, ['schedules', '--remove', 'default-key'])).out).toBe('No scheduled rotations.\n')
    expect((await run(harness, [...rotateArguments, '--on', '2020-01-01', '--yes'])).failure).toBeInstanceOf(
      CommanderError,
    )
    const fixedEnd = [...rotateArguments, '--on', '2099-01-01', '--disable-by', '2099-01-02', '--yes']
    expect((await run(harness, fixedEnd)).failure).toMatchObject({ code: 'input.invalid' })
  })
})
