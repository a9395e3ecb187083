import { type Desktop, startDesktop } from '../../scripts/lib/desktop.mjs'
import { sessionBusPath } from '../../src/main/core/vault/secret-service'
import { test as base, expect } from '../support/app'
import { startCompanion } from '../support/companion'
import { lockKeychain } from '../support/keychain-lock'

const key = 'sk-lent-0123456789abcdefghij'
const addPlanArgs = ['plan', 'add', '--name', 'team', '--gateway', 'http://127.0.0.1:9', '--key-stdin']
const timeoutText = 'The keychain (Secret Service) did not answer within 3 seconds.'

/** Tests with their own desktop. After `lock` the keychain waits for a password. */
const test = base.extend<{ own: { readonly env: Record<string, string>; lock(): Promise<void> } }>({
  own: async ({ browserName: _ }, use) => {
    const desktop: Desktop = await startDesktop()
    const entries = Object.entries(desktop.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const endTasks: (() => void)[] = []
    await use({
      env: Object.fromEntries(
        entries.filter(([name]) => /^(DISPLAY|XAUTHORITY|DBUS_|XDG_|PRIVATE_DESKTOP)/.test(name)),
      ),
      lock: async () => void endTasks.push(await lockKeychain(sessionBusPath(desktop.env) ?? '')),
    })
    for (const endTask of endTasks) endTask()
    await desktop.stop()
  },
})

test('key print times out with a message while the keychain waits for a password', async ({ machine, own }) => {
  const run = (args: readonly string[], input = '') => startCompanion(machine, args, { env: own.env, input })
  const printKey = async (plan: string) => {
    const startedMs = Date.now()
    return { ...(await run(['key', 'print', '--plan', plan])), tookMs: Date.now() - startedMs }
  }
  expect((await run(addPlanArgs, key)).code).toBe(0)
  // A command that also starts the full program, and does not need the keychain.
  const otherResult = await printKey('unknown')
  await own.lock()
  const { code, out, err, tookMs } = await printKey('team')
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(timeoutText) })
  // The command waits for the keychain once (3 s), not twice.
  expect(tookMs - otherResult.tookMs).toBeLessThan(6000)
})

test('the window warns that keys last only until quit once the keychain stops responding', async ({
  machine,
  own,
  start,
}) => {
  expect((await startCompanion(machine, addPlanArgs, { env: own.env, input: key })).code).toBe(0)
  const { page } = await start({ env: own.env })
  await expect(page.getByText('Keys in keychain')).toBeVisible()
  await page.getByRole('link', { name: /team/ }).first().click()
  await own.lock()
  await page.getByRole('button', { name: 'Test now' }).click()
  await expect(page.getByText('Keys not saved')).toBeVisible()
})
