import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AccountPlanView,
  plans as contract,
  PackageView,
  PlanView,
  SubscriptionKeyView,
} from '../../src/shared/contract'
import { expect, type Machine } from '../support/app'
import { listFilesContaining } from '../support/canary'
import { type CommandOutcome, runCompanion } from '../support/companion'
import { test as base, type TestSandbox } from '../support/sandbox'
import { installTools } from '../support/tools'

const dayMs = 86_400_000

interface RunOptions {
  readonly input?: string
  readonly code?: number
}

/** A simulated computer with a running sandbox. Only `key print` may print keys. */
interface Harness {
  readonly machine: Machine
  readonly sandbox: TestSandbox
  /** Runs `companion`, expects exit code `code` (0) and records the output for the secret search. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandOutcome>
  /** Runs `companion` and returns the JSON that it printed. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>
  /** Runs `companion --json`, expects exit code 1 and returns the printed failure. */
  catchFailure(...args: readonly string[]): Promise<unknown>
  /** Returns the secret of a key, using `key print`. */
  readKey(plan: string, key: string): Promise<string>
  credits(): Promise<number>
}

const test = base.extend<{ harness: Harness }>({
  harness: async ({ machine, sandbox }, use) => {
    await sandbox.control('/timing', { provisioningMs: 0 })
    const keys = new Set(sandbox.ready.plans.flatMap((plan) => plan.keys.map(({ key }) => key)))
    const outputs: string[] = []
    const run: Harness['run'] = async (args, { input = '', code = 0 } = {}) => {
      const outcome = await runCompanion(machine, args, { input })
      expect(outcome.code, `companion ${args.join(' ')}\n${outcome.out}${outcome.err}`).toBe(code)
      outputs.push(outcome.out, outcome.err)
      return outcome
    }
    const json: Harness['json'] = async (args, options) => JSON.parse((await run(['--json', ...args], options)).out)
    await connect({ machine, sandbox }, run)
    await use({
      machine,
      sandbox,
      run,
      json,
      async catchFailure(...args) {
        const answer = await json(args, { code: 1 })
        expect(answer).toMatchObject({ ok: false })
        return Object(answer).failure
      },
      async readKey(plan, key) {
        const { code, out } = await runCompanion(machine, ['key', 'print', '--plan', plan, '--key', key])
        expect(code).toBe(0)
        keys.add(out.trimEnd())
        return out.trimEnd()
      },
      credits: async () =>
        contract['account.get'].output.parse(await json(['api', 'call', 'console.account.get'])).credits,
    })
    for (const hiddenText of [...keys, sandbox.ready.iam.clientSecret.expose(), 'iam-sandbox-']) {
      expect(outputs.filter((text) => text.includes(hiddenText))).toEqual([])
      expect(listFilesContaining(join(machine.home, '..'), hiddenText)).toEqual([])
    }
  },
})

async function connect({ machine, sandbox }: Pick<Harness, 'machine' | 'sandbox'>, run: Harness['run']): Promise<void> {
  const { addresses, iam } = sandbox.ready
  const file = join(machine.home, 'connection.json')
  const { tokenUrl, clientId } = iam
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  await run(['connection', 'add', '--file', file, '--secret-stdin'], { input: iam.clientSecret.expose() })
}

const buyArgs = (name: string, type = 'Starter') => ['plan', 'buy', '--package', type, '--name', name]

/** Buys a plan and waits for its key. */
const buyPlan = async ({ json }: Harness, name: string, type?: string) =>
  AccountPlanView.parse(await json([...buyArgs(name, type), '--yes', '--wait']))

/** Status of one real request with a key. */
async function requestStatus({ sandbox }: Harness, key: string): Promise<number> {
  const response = await fetch(`${sandbox.ready.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora-small', messages: [{ role: 'user', content: 'Say hello' }] }),
  })
  await response.text()
  return response.status
}

/** Plans from `plan list --json`, split into the account's plans and those saved on this computer. */
async function listPlans({ json }: Harness) {
  const rows = await json(['plan', 'list'])
  const allRows: unknown[] = Array.isArray(rows) ? rows : []
  return {
    account: allRows.flatMap((row) => AccountPlanView.safeParse(row).data ?? []),
    local: allRows.flatMap((row) => PlanView.safeParse(row).data ?? []),
    count: allRows.length,
  }
}

test.describe('buying', () => {
  test('shows packages and balance, and pays only with --yes', async ({ harness }) => {
    const { run, json, credits, sandbox } = harness
    await sandbox.control('/account', { role: 'ADMIN' })
    const packages = await json(['plan', 'packages'])
    const [starter] = contract['account.packages'].output.parse(packages)
    expect(PackageView.parse(starter)).toMatchObject({ planType: 'Starter', price: 99_000 })
    expect((await run(['plan', 'packages'])).out).toMatch(/^Starter +package-starter +99,000 VND +30 days +2 /m)

    const creditsBefore = await credits()
    const unconfirmedRun = await run(buyArgs('team'), { code: 2 })
    expect(unconfirmedRun.out).toBe('')
    const formattedCredits = [creditsBefore, creditsBefore - 99_000].map((sum) =>
      new Intl.NumberFormat('en').format(sum),
    )
    expect(unconfirmedRun.err).toContain(
      `Total 99,000 VND. Balance: ${formattedCredits[0]} VND now, ${formattedCredits[1]} VND afterwards.\n`,
    )
    expect(await json(buyArgs('team'), { code: 2 })).toMatchObject({ ok: false, failure: { code: 'input.invalid' } })
    expect(await credits()).toBe(creditsBefore)
    expect((await listPlans(harness)).account.map(({ name }) => name)).not.toContain('team')

    const purchasedPlan = await buyPlan(harness, 'team')
    expect(purchasedPlan).toMatchObject({ name: 'team', provisioned: true, autoRenew: true, keysUsed: 1 })
    expect(await credits()).toBe(creditsBefore - 99_000)
    expect(await requestStatus(harness, await harness.readKey('team', 'default-key'))).toBe(200)
    expect((await listPlans(harness)).local.map(({ id }) => id)).toEqual([purchasedPlan.localPlanId])
  })

  test('waits for provisioning with --wait, and without it saves the key later', async ({ harness }) => {
    const { run, sandbox, catchFailure } = harness
    await sandbox.control('/timing', { provisioningMs: 2_000 })
    const buyAndWaitRun = await run([...buyArgs('waited'), '--yes', '--wait'])
    expect(buyAndWaitRun.err).toMatch(/^waited is being provisioned\. .*\nwaited is ready after \d+ s\.$/m)
    expect(buyAndWaitRun.out).toContain('Its first key is saved on this computer')
    expect(await requestStatus(harness, await harness.readKey('waited', 'default-key'))).toBe(200)

    await sandbox.control('/timing', { provisioningMs: 600_000 })
    const purchaseRun = await run([...buyArgs('later'), '--no-auto-renew', '--yes'])
    expect(purchaseRun.out).toContain('It is being provisioned.')
    expect((await run(['plan', 'list'])).out).toMatch(/^later +account +Starter +provisioning .* no +1\/2 /m)
    expect((await run(['plan', 'show', 'later'])).out).toMatch(/^gateway +appears when provisioning is done$/m)
    expect(await catchFailure('key', 'keep', 'later', 'default-key')).toMatchObject({ code: 'account.notProvisioned' })
    expect(await catchFailure('key', 'add', 'later', '--name', 'ci')).toMatchObject({ code: 'account.notProvisioned' })
    await sandbox.control('/clock', { advanceMs: 600_000 })
    expect((await run(['key', 'keep', 'later', 'default-key'])).out).toContain('Saved in the OS keychain.')
    expect(await requestStatus(harness, await harness.readKey('later', 'default-key'))).toBe(200)
  })

  for (const [caseName, account, code, messagePattern] of [
    ['a Developer', { role: 'DEVELOPER' }, 'account.roleNotAllowed', /Only Root and Admin .* DEVELOPER/],
    ['a Viewer', { role: 'VIEWER' }, 'account.roleNotAllowed', /Only Root and Admin .* VIEWER/],
    ['too little credit', { role: 'ADMIN', credits: 98_999 }, 'account.insufficientCredits', /99000 .* 98999/],
  ] as const) {
    test(`is refused for ${caseName} with a message and without a payment`, async ({ harness }) => {
      const { sandbox, catchFailure, run } = harness
      await sandbox.control('/account', account)
      const refusal = { code, message: expect.stringMatching(messagePattern) }
      expect(await catchFailure(...buyArgs('mine'))).toEqual(refusal)
      expect(await catchFailure(...buyArgs('mine'), '--yes')).toEqual(refusal)
      expect(await catchFailure('plan', 'buy-again', 'sandbox-expired', '--name', 'mine', '--yes')).toEqual(refusal)
      expect((await run([...buyArgs('mine'), '--yes'], { code: 1 })).err).toMatch(messagePattern)
      expect((await listPlans(harness)).account.map(({ name }) => name)).not.toContain('mine')
    })
  }

  test('buys a second plan of the same type, after which the name is ambiguous', async ({ harness }) => {
    const { run, json, catchFailure } = harness
    const firstPlan = await buyPlan(harness, 'team')
    const buyAgainArgs = ['plan', 'buy-again', 'team', '--name', 'team']
    await run(buyAgainArgs, { code: 2 })
    const secondPlan = AccountPlanView.parse(await json([...buyAgainArgs, '--no-auto-renew', '--yes', '--wait']))
    expect(secondPlan).toMatchObject({ name: 'team', planType: 'Starter', autoRenew: false })
    expect(secondPlan.planId).not.toBe(firstPlan.planId)
    const ambiguousRun = await run(['plan', 'delete', 'team', '--yes'], { code: 2 })
    for (const { planId } of [firstPlan, secondPlan]) expect(ambiguousRun.err).toContain(planId)
    expect((await listPlans(harness)).account.filter(({ name }) => name === 'team')).toHaveLength(2)
    expect(await json(['plan', 'show', secondPlan.planId])).toMatchObject({
      plan: { planId: secondPlan.planId },
      keys: [{}],
    })
    expect(await catchFailure('plan', 'show', 'nobody')).toMatchObject({ code: 'plan.notFound' })
  })
})

test.describe('a plan', () => {
  test('is listed with handed-over plans, which are also listed without the console', async ({ harness }) => {
    const { run, sandbox } = harness
    await run(['plan', 'add', '--name', 'handed', '--gateway', 'https://gateway.example.com', '--key-stdin'], {
      input: 'sk-handed-0123456789abcdef',
    })
    await buyPlan(harness, 'team')
    const { out, err } = await run(['plan', 'list'])
    expect(out).toMatch(
      /^team +account +Starter +active +in 30 days \(\d{4}-\d\d-\d\d\) +yes +1\/2 +\S+: 100% of tokens /m,
    )
    expect(out).toMatch(/^sandbox-expired +account +Starter +expired +\d+ days ago /m)
    expect(out).toMatch(/^handed +by key +- +not tested /m)
    expect(err).toBe('')
    const plans = await listPlans(harness)
    expect(plans.local.map(({ name }) => name)).toEqual(['handed', 'team'])
    expect(plans.count).toBe(plans.account.length + 2)

    await sandbox.stop()
    const planListRun = await run(['plan', 'list'], { code: 1 })
    expect(planListRun.out).toMatch(/^NAME +GATEWAY.*\nhanded .*\nteam /)
    expect(planListRun.err).toMatch(/^Couldn't list the plans of the account of local: .* nothing listens there/)
    expect((await run(['plan', 'show', 'handed'])).out).toMatch(/^from +added by key$/m)
  })

  test('switches renewal on and off, and says what happens at the exact expiry', async ({ harness }) => {
    const { run, json, catchFailure, sandbox } = harness
    const { expiresAt } = await buyPlan(harness, 'team')
    const exactExpiry = `${expiresAt.slice(0, 10)} ${expiresAt.slice(11, 19)} UTC`
    expect((await run(['plan', 'renew', 'off', 'team'])).out).toMatch(
      new RegExp(`^Auto-renew of team is off\\. The plan stays active until ${exactExpiry}, in 30 days\\.`),
    )
    expect(AccountPlanView.parse(await json(['plan', 'renew', 'on', 'team'])).autoRenew).toBe(true)
    expect((await run(['plan', 'show', 'team'])).out).toMatch(
      new RegExp(`^at expiry +The plan renews for another 30 days before ${exactExpiry}`, 'm'),
    )
    const key = await harness.readKey('team', 'default-key')
    await run(['plan', 'renew', 'off', 'team'])
    await sandbox.control('/clock', { advanceMs: 31 * dayMs })
    expect(await requestStatus(harness, key)).toBe(402)
    expect((await run(['plan', 'list'])).out).toMatch(/^team +account +Starter +expired /m)
    expect(await catchFailure('plan', 'renew', 'on', 'team')).toMatchObject({ code: 'account.planExpired' })
  })

  test('is deleted with a refund after a warning, and its keys stop working and are removed', async ({ harness }) => {
    const { machine, run, json, catchFailure, credits } = harness
    installTools(machine)
    const { planId } = await buyPlan(harness, 'team')
    await buyPlan(harness, 'other')
    await run(['key', 'add', 'team', '--name', 'ci'])
    await run(['configure', 'claude-code', '--plan', 'team'])
    const key = await harness.readKey('team', 'default-key')
    const creditsBefore = await credits()

    const unconfirmedRun = await run(['plan', 'delete', 'team', 'other'], { code: 2 })
    expect(unconfirmedRun.err).toContain(`Deleting team (${planId}) stops 2 keys immediately: default-key, ci.\n`)
    expect(unconfirmedRun.err).toContain('Tools on this computer that stop working: Claude Code.\n')
    expect(unconfirmedRun.err).toContain('Estimated refund: 99,000 VND.\n')
    expect(unconfirmedRun.err).toContain('Estimated refund for all 2: 198,000 VND.\n')
    await run(['plan', 'delete', 'team', 'nobody', '--yes'], { code: 1 })
    expect([await requestStatus(harness, key), await credits()]).toEqual([200, creditsBefore])

    const outcome = contract['account.deletePlans'].output.parse(
      await json(['plan', 'delete', 'team', 'other', '--yes']),
    )
    expect(outcome).toMatchObject({ failed: [], notForgotten: [] })
    const refundSum = outcome.deleted.reduce((sum, { refund = 0 }) => sum + refund, 0)
    expect(await credits()).toBe(creditsBefore + refundSum)
    expect(refundSum).toBeGreaterThan(190_000)
    expect(await requestStatus(harness, key)).toBe(402)
    expect((await listPlans(harness)).local).toEqual([])
    expect(await catchFailure('key', 'print', '--plan', 'team')).toMatchObject({ code: 'plan.notFound' })
    expect(await catchFailure('plan', 'show', 'team')).toMatchObject({ code: 'plan.notFound' })
  })
})

test.describe('a key', () => {
  test('is added and saved up to the key limit, and one more is refused', async ({ harness }) => {
    const { run, json, catchFailure } = harness
    await buyPlan(harness, 'team')
    const addedKeyRun = await run(['key', 'add', 'team', '--name', 'ci runner'])
    expect(addedKeyRun.out).toMatch(/^Added ci runner \(sk-\.\.\.\w{4}\) to team \(2 of 2 keys\)\. Saved in the OS/)
    expect(await requestStatus(harness, await harness.readKey('team', 'ci runner'))).toBe(200)
    expect(await catchFailure('key', 'add', 'team', '--name', 'more')).toMatchObject({
      code: 'account.keyLimitReached',
      message: expect.stringContaining('all of its 2 keys'),
    })
    const keys = contract['account.keys'].output.parse(await json(['key', 'list', 'team']))
    expect(keys).toMatchObject([
      { name: 'default-key', kept: 'keychain' },
      { name: 'ci runner', kept: 'keychain' },
    ])
    expect((await run(['key', 'list', 'team'])).out).toMatch(/^sk-\.\.\.\w{4} +ci runner +active .*in the keychain/m)
  })

  test('is renamed, disabled, enabled and deleted, each effective at the next request', async ({ harness }) => {
    const { run, json, catchFailure } = harness
    await buyPlan(harness, 'team')
    SubscriptionKeyView.parse(await json(['key', 'add', 'team', '--name', 'ci']))
    const key = await harness.readKey('team', 'ci')
    const secondKey = await harness.readKey('team', 'default-key')

    const renamedKey = await json(['key', 'rename', 'team', 'ci', '--name', 'runner'])
    expect(SubscriptionKeyView.parse(renamedKey).name).toBe('runner')
    expect(await harness.readKey('team', 'runner')).toBe(key)

    const unconfirmedRun = await run(['key', 'disable', 'team', 'runner'], { code: 2 })
    expect(unconfirmedRun.err).toContain('Its next request is rejected. You can enable it again.\n')
    expect(await requestStatus(harness, key)).toBe(200)
    const disabledKey = await json(['key', 'disable', 'team', 'runner', '--yes'])
    expect(SubscriptionKeyView.parse(disabledKey)).toMatchObject({ status: 'DISABLED', kept: 'keychain' })
    expect([await requestStatus(harness, key), await requestStatus(harness, secondKey)]).toEqual([401, 200])
    expect(SubscriptionKeyView.parse(await json(['key', 'enable', 'team', 'runner'])).status).toBe('ACTIVE')
    expect(await requestStatus(harness, key)).toBe(200)

    await run(['key', 'delete', 'team', 'runner'], { code: 2 })
    expect(await requestStatus(harness, key)).toBe(200)
    const { keyId } = SubscriptionKeyView.parse(disabledKey)
    expect(await json(['key', 'delete', 'team', keyId, '--yes'])).toEqual({ removed: keyId })
    expect([await requestStatus(harness, key), await requestStatus(harness, secondKey)]).toEqual([401, 200])
    expect(await catchFailure('key', 'print', '--plan', 'team', '--key', 'runner')).toMatchObject({
      code: 'key.notFound',
    })
    expect(await catchFailure('key', 'delete', 'team', 'runner', '--yes')).toMatchObject({ code: 'key.notFound' })
  })
})
