import { readFileSync, writeFileSync } from 'node:fs'
import { RotationView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { Command, CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { addRotateCommands } from '../../../../src/main/cli/rotate'
import { type Bench, keysAtAccount, requireSound, settingsFile, startBench } from '../keys/rotation/bench'
import type { MachineParts } from '../keys/rotation/machine'
import { memoryOutput } from './memory-output'

const claude = { toolId: 'claude-code', delivery: 'helper' } as const

/** Runs `companion rotate ...` on a bench's machine, restarted for each command. */
async function run(
  bench: Bench,
  args: readonly string[],
  clock = () => new Date(),
  { listHandovers }: Pick<MachineParts, 'listHandovers'> = {},
) {
  const isJson = args.includes('--json')
  const output = memoryOutput({ isJson })
  const { rotation, plans, settings } = bench.open({ clock, ...(listHandovers && { listHandovers }) })
  const program = new Command('companion').option('--json')
  addRotateCommands(program, () => ({ core: { rotation, plans, settings }, output }))
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({ writeErr: output.err })
  }
  const failure = await program
    .parseAsync(['node', 'companion', 'rotate', ...args.filter((arg) => arg !== '--json')])
    .then(
      () => undefined,
      (error: unknown) => (error instanceof AppError ? error.failure : error),
    )
  const code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { out: output.stdout(), err: output.stderr(), code, failure }
}

const start = ['start', '--plan', 'sandbox-pro', '--key', 'default-key']
const namesAtAccount = async (bench: Bench) =>
  (await keysAtAccount(bench)).map(({ name, status }) => `${name} ${status}`)

describe('rotate start', () => {
  it('without --yes shows the steps and changes nothing', async () => {
    const bench = await startBench([claude])
    const { out, err, failure } = await run(bench, start)
    expect(failure).toMatchObject({ code: 'input.invalid', field: 'yes' })
    expect(out).toBe('')
    expect(err).toMatch(/1\. Create default-key-\d{4}-\d\d-\d\d in sandbox-pro \(2 of 5 keys used\)/)
    expect(err).toContain('Switch to it: Claude Code, profile work.')
    expect(err).toContain('Delete default-key after 1d. You can undo the rotation until then.')
    expect(await namesAtAccount(bench)).toEqual(['default-key ACTIVE', 'old-laptop DISABLED'])
  })

  it('with --yes runs them, reports each on standard error, and prints the result', async () => {
    const bench = await startBench([claude])
    const { out, err, code } = await run(bench, [...start, '--grace', '0', '--name', 'fresh', '--yes'])
    expect(code).toBe(0)
    expect(err).toContain('done   test each tool\n')
    expect(err).toContain('done   delete the old key\n')
    expect(out).toMatch(/^default-key of sandbox-pro -> fresh: done\.$/m)
    expect(await namesAtAccount(bench)).toEqual(['old-laptop DISABLED', 'fresh ACTIVE'])
    await requireSound(bench, [claude])
  })

  it('names the tools to restart when the old key is disabled, before and during that step', async () => {
    const bench = await startBench([claude, { toolId: 'opencode', delivery: 'file' }])
    const text = 'Restart OpenCode if it is running: it keeps the old key in memory'
    expect((await run(bench, start)).err).toMatch(new RegExp(`Disable default-key 1h after the switch .* ${text}`))
    const { out, err } = await run(bench, [...start, '--disable-by', 'now', '--yes'])
    for (const told of [out, err]) expect(told).toMatch(new RegExp(`disable the old key\n +${text}`))
  })

  it('keeps both keys active for the chosen time, says what to restart, and disables the old key on --now', async () => {
    const bench = await startBench([{ toolId: 'opencode', delivery: 'file' }])
    const { out, code } = await run(bench, [...start, '--disable-by', '30m', '--grace', '0', '--yes'])
    expect(code).toBe(0)
    expect(out).toMatch(/: both keys work until .* UTC\.$|: both keys work until /m)
    expect(out).toContain('Restart OpenCode if it is running')
    expect(out).toContain('Other computers that use this key are not known')
    expect(await namesAtAccount(bench)).toContain('default-key ACTIVE')
    expect((await run(bench, ['resume', '--now'])).out).toContain(': done.')
  })

  it('waits for the end of the grace period, after which resume deletes the old key', async () => {
    const bench = await startBench([claude])
    const { out } = await run(bench, ['--json', ...start, '--grace', '7d', '--yes'])
    const view = RotationView.parse(JSON.parse(out))
    expect(view.state).toBe('waiting')
    expect((await run(bench, ['resume'])).out).toContain('is deleted at')
    expect((await run(bench, ['status'])).out).toMatch(/waiting until .* UTC/)
    const inAWeek = () => new Date(Date.now() + 7 * 86_400_000 + 1000)
    expect((await run(bench, ['resume', view.id.slice(0, 8)], inAWeek)).out).toContain(': done.')
    expect(await namesAtAccount(bench)).not.toContain('default-key DISABLED')
  })

  it('exits with 1 when a tool keeps both keys alive, and names it', async () => {
    const bench = await startBench([claude])
    const path = settingsFile(bench, claude)
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before.replace('"ANTHROPIC_MODEL": "aurora-large"', '"ANTHROPIC_MODEL": "other"'))
    const { out, code } = await run(bench, [...start, '--yes'])
    expect(code).toBe(1)
    expect(out).toMatch(/failed +Claude Code: The settings of Claude Code were modified/)
    writeFileSync(path, before)
    expect((await run(bench, ['resume'])).code).toBe(0)
  })

  it.each([
    ['a key that is not there', ['start', '--plan', 'sandbox-pro', '--key', 'nobody'], 'key.notFound'],
    ['a plan that is not there', ['start', '--plan', 'nowhere', '--key', 'default-key'], 'plan.notFound'],
  ])('is refused for %s', async (_, args, code) => {
    const bench = await startBench([])
    expect((await run(bench, [...args, '--yes'])).failure).toMatchObject({ code })
  })

  it.each(['1', '1w', '31d', '-1h', 'soon'])('refuses a grace period of %s', async (grace) => {
    const bench = await startBench([])
    expect((await run(bench, [...start, '--grace', grace])).failure).toBeInstanceOf(CommanderError)
  })
})

describe('a key with a holder', () => {
  const held = { listHandovers: () => [{ holder: { kind: 'person' as const, name: 'Lan' }, state: 'open' as const }] }
  const clock = () => new Date()

  it('works until it is confirmed or until --now', async () => {
    const bench = await startBench([claude])
    const asked = await run(bench, start, clock, held)
    expect(asked.err).toMatch(/Disable default-key when every holder has confirmed/)
    expect(asked.err).toContain('Also held by Lan: issue')
    const { out } = await run(bench, [...start, '--grace', '0', '--yes'], clock, held)
    expect(out).toContain('the old key works until its holders have confirmed the new one.')
    expect(out).toMatch(/^ {2}not issued +Lan$/m)
    expect(await namesAtAccount(bench)).toContain('default-key ACTIVE')
    expect((await run(bench, ['resume'], clock, held)).out).toContain('works until its holders')
    expect((await run(bench, ['resume', '--now'], clock, held)).out).toContain(': done.')
    expect((await namesAtAccount(bench)).join()).not.toContain('default-key ACTIVE')
  })

  it('works until the chosen day at most, and stops with --now', async () => {
    const bench = await startBench([])
    const { out } = await run(bench, [...start, '--yes', '--disable-by', '2099-12-24'], clock, held)
    expect(out).toMatch(/until 2099-12-24 .*at the latest\./)
    const otherBench = await startBench([])
    const { out: ended } = await run(
      otherBench,
      [...start, '--grace', '0', '--yes', '--disable-by', 'now'],
      clock,
      held,
    )
    expect(ended).toContain(': done.')
  })

  it.each(['2026-02-31', '2026-13-01', '24.12.2099', 'tomorrow', '2020-01-01', '2099-12-24x'])(
    'is not rotated for the day %s',
    async (day) => {
      const bench = await startBench([])
      const { failure } = await run(bench, [...start, '--yes', '--disable-by', day], clock, held)
      expect(failure).toBeInstanceOf(CommanderError)
      expect((await namesAtAccount(bench)).length).toBe(2)
    },
  )
})

describe('rotate undo', () => {
  it('restores the old key with --yes, and without shows what would happen', async () => {
    const bench = await startBench([claude])
    await run(bench, [...start, '--yes'])
    const asked = await run(bench, ['undo'])
    expect(asked.failure).toMatchObject({ field: 'yes' })
    expect(asked.err).toContain('Every tool switches back to default-key')
    expect((await run(bench, ['undo', '--yes'])).out).toContain(': undone.')
    expect(await namesAtAccount(bench)).toEqual(['default-key ACTIVE', 'old-laptop DISABLED'])
    expect((await run(bench, ['undo', '--yes'])).failure).toMatchObject({ code: 'rotation.notFound' })
    await requireSound(bench, [claude])
  })
})

describe('rotate status, stop and resume', () => {
  it('report that there is nothing', async () => {
    const bench = await startBench([])
    expect((await run(bench, ['status'])).out).toBe('No rotations yet.\n')
    expect((await run(bench, ['status', 'abc'])).failure).toMatchObject({ code: 'rotation.notFound' })
    expect((await run(bench, ['stop'])).failure).toMatchObject({ code: 'rotation.notFound' })
  })

  it('pause and resume the deletion of the old key', async () => {
    const bench = await startBench([])
    await run(bench, [...start, '--yes'])
    expect((await run(bench, ['stop'])).out).toContain(': stopped.')
    const { out } = await run(bench, ['--json', 'status'])
    expect(JSON.parse(out).map((view: unknown) => RotationView.parse(view).state)).toEqual(['stopped'])
    const later = () => new Date(Date.now() + 25 * 3_600_000)
    expect((await run(bench, ['resume'], later)).out).toContain(': done.')
  })

  it('accept a confirmation that a key was entered in a tool', async () => {
    const byHand = { toolId: 'qwen-code', delivery: 'env' } as const
    const bench = await startBench([byHand])
    const { out } = await run(bench, [...start, '--disable-by', 'now', '--yes'])
    expect(out).toContain("where this app can't write")
    expect((await run(bench, ['resume', '--by-hand', 'claude-code'])).failure).toMatchObject({ field: 'byHand' })
    expect((await run(bench, ['resume', '--by-hand', 'qwen-code'])).out).toContain('is deleted at')
  })
})
