import { expect, type Machine } from './app'
import { type CommandOutcome, runCompanion } from './companion'
import { test as base, type TestSandbox } from './sandbox'

/** Name of the plan that `CliHarness` starts with. */
export const teamPlan = 'team-plan'

/**
 * A simulated computer with a running sandbox, whose plan was added by the command line. No output may contain a key.
 */
export interface CliHarness {
  readonly machine: Machine
  readonly sandbox: TestSandbox
  readonly gatewayUrl: string
  readonly key: string
  readonly run: (...args: readonly string[]) => Promise<CommandOutcome>
  /** Runs `companion`, expects success, and returns its output. */
  readonly succeed: (...args: readonly string[]) => Promise<string>
}

/** A plan to add by the command line. The key is passed on stdin. */
export interface NewPlan {
  readonly name: string
  readonly gateway: string
  readonly key: string
  readonly models?: readonly string[]
}

export async function addPlan(machine: Machine, { name, gateway, key, models = [] }: NewPlan): Promise<void> {
  const codes = models.flatMap((code) => ['--model', code])
  const args = ['plan', 'add', '--name', name, '--gateway', gateway, '--key-stdin', ...codes]
  expect(await runCompanion(machine, args, { input: key })).toMatchObject({ code: 0 })
}

/** A key of the sandbox's plan `sandbox-pro`. */
export function findSandboxKey({ ready }: TestSandbox, keyName = 'default-key'): string {
  const key = ready.plans.find(({ name }) => name === 'sandbox-pro')?.keys.find(({ name }) => name === keyName)
  if (!key) throw new Error(`The sandbox printed no key ${keyName}.`)
  return key.key
}

export const test = base.extend<{ harness: CliHarness }>({
  harness: async ({ machine, sandbox }, use) => {
    const { gatewayUrl } = sandbox.ready
    const key = findSandboxKey(sandbox)
    await addPlan(machine, { name: teamPlan, gateway: gatewayUrl, key, models: ['aurora-large', 'aurora-small'] })
    const outputLines: string[] = []
    const run: CliHarness['run'] = async (...args) => {
      const outcome = await runCompanion(machine, args)
      outputLines.push(outcome.out, outcome.err)
      return outcome
    }
    const runSuccessfully: CliHarness['succeed'] = async (...args) => {
      const { code, out, err } = await run(...args)
      expect(code, `companion ${args.join(' ')}\n${out}\n${err}`).toBe(0)
      return out
    }
    await use({ machine, sandbox, gatewayUrl, key, run, succeed: runSuccessfully })
    expect(outputLines.filter((text) => text.includes('sk-sandbox-'))).toEqual([])
  },
})

export { expect } from '@playwright/test'
