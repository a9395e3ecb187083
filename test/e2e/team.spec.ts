import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { runCompanion } from '../support/companion'
import { expect, test } from '../support/desk'
import { startPostgres, type TestPostgres, toPassword, withoutPostgres } from '../support/postgres'

const consoleUrl = 'https://console.example.com'

/**
 * Creates a space for the lead An with keys, a conflict and a rotation from other computers. Returns the
 * database and the invitation of a second lead.
 */
async function createTeamSpace(postgres: TestPostgres, machine: Parameters<typeof runCompanion>[0]) {
  const database = await postgres.database(['an', 'binh', 'chi'])
  const run = async (args: readonly string[], input = ''): Promise<string> => {
    const { code, out, err } = await runCompanion(machine, args, { input })
    expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
    return out
  }
  const address = `postgres://an@127.0.0.1:${postgres.port}/${database}`
  await run(['team', 'create', address, '--name', 'Atelier', '--person', 'An', '--password-stdin'], toPassword('an'))
  await run(['team', 'invite', 'Chi', '--user', 'chi'])
  const invitation = await run(['team', 'invite', 'Bình', '--user', 'binh'])
  await run(['team', 'leave', '--yes'])
  const insertHoldingSql = `INSERT INTO companion_team.holdings (place, plan_id, key_id, note, version)
    VALUES ($1, 'plan', 'review-bot', $2, 1)`
  const version = (name: string, purpose: string) =>
    JSON.stringify({
      planName: 'team-pro',
      keyName: 'review-bot',
      holder: { kind: 'person', name },
      purpose,
      alsoServes: [],
    })
  await postgres.query(database, insertHoldingSql, [consoleUrl, version('Dung', 'Reviews')])
  await postgres.query(
    database,
    `INSERT INTO companion_team.conflicts (id, place, plan_id, key_id, mine, theirs, person, theirs_by)
     VALUES (repeat('a', 64), $1, 'plan', 'review-bot', $2, $3, 3, 1)`,
    [consoleUrl, version('Giang', 'Load tests'), version('Dung', 'Reviews')],
  )
  await postgres.query(
    database,
    `INSERT INTO companion_team.rotations (id, place, plan_id, key_id, plan_name, key_name, new_key_name, was_active, direction, state, grace_ms, person, machine, lease_until)
     VALUES (gen_random_uuid(), $1, 'plan', 'ci', 'team-pro', 'ci', 'ci-2026-11-23', true, 'forward', 'stopped', 0, 1, 1, now() - interval '1 minute')`,
    [consoleUrl],
  )
  return { invitation, database }
}

/** Mocks system dialogs. Returns a function that reads the messages they showed. */
async function stubFileDialogs(app: ElectronApplication, path: string): Promise<() => Promise<string>> {
  await app.evaluate(({ dialog }, chosen) => {
    Object.assign(dialog, {
      showOpenDialog: async () => ({ canceled: false, filePaths: [chosen] }),
      showMessageBox: async (...input: unknown[]) => {
        Object.assign(dialog, { asked: JSON.stringify(input.at(-1)) })
        return { response: 0 }
      },
    })
  }, path)
  return () => app.evaluate(({ dialog }) => String(Reflect.get(dialog, 'asked')))
}

const openTeam = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Team', level: 1 })).toBeVisible()
}

test('a lead space is joined with an invitation, a conflict is resolved, and the page shows when the database is unavailable', async ({
  harness,
}) => {
  test.skip(withoutPostgres !== undefined, withoutPostgres)
  const postgres = await startPostgres()
  try {
    const file = join(harness.machine.home, 'invitation.json')
    const { invitation, database } = await createTeamSpace(postgres, harness.machine)
    writeFileSync(file, invitation)
    const page = await harness.start()
    const inviteDialogs = await stubFileDialogs(harness.app(), file)
    await openTeam(page)
    await page.getByRole('button', { name: 'Join lead space…' }).click()
    await page.getByRole('button', { name: 'Choose invitation…' }).click()
    await expect(page.getByRole('dialog')).toContainText('Bình')
    await harness
      .app()
      .evaluate(({ clipboard }, text) => clipboard.writeText(text), toPassword('binh').replace(' ', '-'))
    await postgres.query('postgres', `ALTER ROLE binh PASSWORD 'pw-binh'`)
    await page.getByRole('button', { name: 'Paste password' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Join lead space' }).click()
    await expect(page.getByText('Online')).toBeVisible()
    expect(await inviteDialogs()).toContain(`Send the password of “binh” to 127.0.0.1:${postgres.port}?`)
    await expect(page.getByRole('list', { name: 'Leads' })).toContainText('Bình')
    await expect(page.getByRole('list', { name: 'Rotations' })).toContainText('Can be taken over')

    await page.getByRole('button', { name: 'Keep the version of Bình for review-bot' }).click()
    await expect(page.getByRole('heading', { name: 'Conflicts' })).toHaveCount(0)
    const notes = await postgres.query(
      database,
      "SELECT note->'holder'->>'name' AS holder FROM companion_team.holdings",
    )
    expect(notes).toEqual([{ holder: 'Giang' }])

    await postgres.stop('immediate')
    await expect(page.getByText('Team database unreachable')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Rotations' })).toContainText('Can be taken over')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByText('Team database unreachable')).toBeVisible()
    await postgres.start()
    // The app reconnects automatically. Its retry delay grows with the length of the outage.
    await expect(page.getByText('Online')).toBeVisible({ timeout: 30_000 })

    await page.getByRole('button', { name: 'Leave…' }).click()
    await page.getByRole('button', { name: 'Leave lead space', exact: true }).click()
    await expect(page.getByText('No lead space yet')).toBeVisible()

    // The command line runs while the window is open.
    const run = async (args: readonly string[], input = '') =>
      expect(await runCompanion(harness.machine, args, { input })).toMatchObject({ code: 0 })
    await run(['team', 'join', file, '--password-stdin'], 'pw-binh')
    await expect(page.getByText('Online')).toBeVisible()
    await run(['team', 'leave', '--yes'])
    await expect(page.getByText('No lead space yet')).toBeVisible()
    expect(await harness.bridgeText()).not.toContain('pw-binh')
  } finally {
    await postgres.end()
  }
})
