import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { createEnvironment } from '../../../../../src/main/core/environment'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { Secret } from '../../../../../src/main/core/secret'
import type { PlanRecord } from '../../../../../src/main/core/settings/settings'
import { createVault } from '../../../../../src/main/core/vault/vault'
import type { GatewayProbeRequest } from '../../../../../src/main/gateway/probe'
import type { UsablePlan } from '../../../../../src/main/plans/plan-directory'
import type { SetupEnvironment } from '../../../../../src/main/tools/setups/config-scopes'
import type { RequestDeps } from '../../../../../src/main/tools/setups/setup-request'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { createRoutes } from '../../../../support/routes'
import { makeFolder } from '../../../support/folders'

export const currentTimeIso = '2026-11-21T10:00:00.000Z'

/** Fake API key of all plans in these tests. */
export const key = new Secret('sk-bench-0123456789abcdefgh')

const keyRecord = (id: string, addedAt = currentTimeIso): PlanRecord['keys'][number] => ({
  id,
  name: `name of ${id}`,
  masked: 'sk-...efgh',
  addedAt,
  kept: 'keychain',
})

/** A plan with two keys, newest first. The given fields are replaced. */
export const plan = (overrides: Partial<PlanRecord> = {}): UsablePlan => ({
  id: 'p1',
  name: 'team',
  source: 'handed-over',
  gatewayUrl: 'https://gw.example.com',
  models: ['large', 'small'],
  contextTokens: 128_000,
  createdAt: currentTimeIso,
  keys: [keyRecord('k1'), keyRecord('k2', '2026-11-20T10:00:00.000Z')],
  defaultKeyId: overrides.keys ? overrides.keys[0]?.id : 'k1',
  ...overrides,
})

interface HarnessOptions {
  readonly plans?: readonly PlanRecord[]
  readonly isLocked?: boolean
  readonly platform?: NodeJS.Platform
  readonly distributions?: SetupEnvironment['distributions']
}

/** Creates a test environment with a home folder on the real disk, which is removed after the test. */
export function createHarness({
  plans = [plan()],
  isLocked = false,
  platform = 'linux',
  distributions,
}: HarnessOptions = {}) {
  const folder = makeFolder()
  const home = join(folder, 'home')
  mkdirSync(home)
  const environment = createEnvironment({ home, platform, vars: { HOME: home } })
  const context = { environment, dataDir: join(folder, 'data'), disk: realDisk, clock: () => new Date(currentTimeIso) }
  const noDistributions = { list: async () => [], open: () => Promise.reject(new Error('none')) }
  const environmentParts: SetupEnvironment = { place: context, distributions: distributions ?? noDistributions }
  const keychain = new MemoryKeychain()
  keychain.isLocked = isLocked
  const probeRequests: GatewayProbeRequest[] = []
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false })
  const routes = { isAnswered: false }
  const relay = createRoutes({ vault, isAnswered: () => routes.isAnswered })
  const deps = {
    plans: {
      find: (idOrName: string) => {
        const planMatch = plans.find(({ id, name }) => id === idOrName || name === idOrName)
        if (planMatch) return planMatch
        throw new AppError('plan.notFound', `There is no plan ${idOrName}.`)
      },
      list: () => plans,
      readSecret: async () => key,
    },
    vault,
    relay,
    launcher: { path: platform === 'win32' ? 'C:\\Data\\bin\\companion.cmd' : '/data/bin/companion' },
    platform,
    machine: environmentParts,
    detect: async () => ({ installed: true, version: '1.2.3' }),
    check: async (question: GatewayProbeRequest): Promise<CheckView> => {
      probeRequests.push(question)
      const { standard, requestAddress = '' } = question
      return { ok: true, at: currentTimeIso, standard, requestAddress, durationMs: 1 }
    },
  } satisfies RequestDeps & Record<string, unknown>
  return { folder, home, machine: environmentParts, deps, asked: probeRequests, routes }
}
