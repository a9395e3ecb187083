import type { Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { createEnvironment } from '../../../../../src/main/core/environment'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { Doctor } from '../../../../../src/main/tools/doctor/doctor'
import { writtenTarget } from '../../../../../src/main/tools/targets'

type DoctorPorts = ConstructorParameters<typeof Doctor>[0]

const throwIfCalled = async (): Promise<never> => {
  throw new AppError('internal.unexpected', 'must not be called')
}

/**
 * Dependencies of the doctor on a computer without configured tools. `sites` records the settings locations that it
 * reads.
 */
function createPorts(sites: Site[] = []): DoctorPorts {
  return {
    target: writtenTarget,
    depsAt: async (_target, site) => {
      sites.push(site)
      return {
        environment: createEnvironment({ home: '/nowhere', platform: 'linux', vars: {} }),
        loginShell: async () => ({}),
        disk: realDisk,
        clock: () => new Date('2026-11-21T10:00:00Z'),
        detect: async () => ({ installed: false }),
        blockers: async () => [],
        standing: async () => ({ status: 'absent', drift: [] }),
        readKey: throwIfCalled,
        keptKey: throwIfCalled,
        isSameKey: () => false,
        check: throwIfCalled,
        listModels: throwIfCalled,
      }
    },
  }
}

it('diagnoses the tool in this user’s home when no site is named', async () => {
  const sites: Site[] = []
  const report = await new Doctor(createPorts(sites)).run({ toolId: 'opencode' })
  expect(report).toMatchObject({ toolId: 'opencode', toolName: 'OpenCode', site: { kind: 'user' }, outcome: 'failed' })
  expect(sites).toEqual([{ kind: 'user' }])
})

it('diagnoses the tool at the named site', async () => {
  const site: Site = { kind: 'project', folder: '/code' }
  const sites: Site[] = []
  const report = await new Doctor(createPorts(sites)).run({ toolId: 'opencode', site })
  expect(report.site).toEqual(site)
  expect(sites).toEqual([site])
})

it.each([
  ['nope', 'tool.notFound'],
  ['cursor', 'tool.notWritten'],
])('does not diagnose %s', async (toolId, code) => {
  await expect(new Doctor(createPorts()).run({ toolId })).rejects.toMatchObject({ failure: { code } })
})

it('can be cancelled', async () => {
  const abortedRun = new Doctor(createPorts()).run({ toolId: 'opencode', signal: AbortSignal.abort() })
  await expect(abortedRun).rejects.toMatchObject({ failure: { code: 'net.cancelled' } })
})
