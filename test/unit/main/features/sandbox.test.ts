import type { SandboxView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import { Sandbox } from '../../../../src/main/features/sandbox'
import type { SandboxReady } from '../../../../src/main/sandbox/host'
import { memorySettings } from '../../../support/memory-settings'

const ready: SandboxReady = {
  kind: 'ready',
  gatewayUrl: 'http://127.0.0.1:5001',
  platformUrl: 'http://127.0.0.1:5002',
  controlToken: 'control',
  plans: [],
}

function make({ failure }: { failure?: AppError } = {}) {
  const settings = memorySettings()
  const told: SandboxView['state'][] = []
  const starts: unknown[] = []
  let crash = (): void => undefined
  let stops = 0
  const sandbox = new Sandbox({
    settings,
    host: {
      start: async (ports) => {
        starts.push(ports)
        if (failure) throw failure
        return ready
      },
      stop: async () => {
        stops += 1
      },
      onExit: (listener) => {
        crash = listener
      },
    },
    controlOf: () => ({ requests: async () => [], simulate: async () => undefined }),
    keepPlan: async () => 'plan-1',
    tell: ({ state }) => told.push(state),
  })
  return { sandbox, settings, told, starts, crash: () => crash(), stops: () => stops }
}

describe('Sandbox', () => {
  it('starts once for all who ask, and remembers the ports so that the address stays the same', async () => {
    const { sandbox, settings, starts, told } = make()
    const [one, two] = await Promise.all([sandbox.open(), sandbox.open()])
    expect(one).toEqual({ state: 'running', gatewayUrl: ready.gatewayUrl, planId: 'plan-1', situation: 'normal' })
    expect(two).toEqual(one)
    expect(starts).toEqual([{ gatewayPort: 4860, platformPort: 4861 }])
    expect(told).toEqual(['starting', 'running'])
    expect(settings.read().sandbox).toEqual({ gatewayPort: 5001, platformPort: 5002, wanted: true, planId: 'plan-1' })
  })

  it('takes free ports when asked for another', async () => {
    const { sandbox, starts } = make()
    await sandbox.open({ anotherPort: true })
    expect(starts).toEqual([{ gatewayPort: 0, platformPort: 0 }])
  })

  it('says why it could not start, leaves no process behind and keeps the ports', async () => {
    const failure = new AppError('sandbox.portInUse', 'Port 4860 is taken.')
    const { sandbox, settings, stops } = make({ failure })
    await expect(sandbox.open()).rejects.toBe(failure)
    expect(sandbox.get()).toEqual({ state: 'failed', failure: failure.failure })
    expect(stops()).toBe(1)
    expect(settings.read().sandbox).toMatchObject({ gatewayPort: 4860, wanted: false })
  })

  it('shows that it ended by itself, and can be started again', async () => {
    const { sandbox, crash } = make()
    await sandbox.open()
    crash()
    expect(sandbox.get()).toMatchObject({ state: 'failed', failure: { code: 'sandbox.failed' } })
    await expect(sandbox.simulate('normal')).rejects.toMatchObject({ failure: { code: 'sandbox.failed' } })
    expect((await sandbox.open()).state).toBe('running')
  })

  it('does not come up with the app once a person stopped it, but does when only the app ended', async () => {
    const { sandbox, settings } = make()
    await sandbox.open()
    await sandbox.end()
    expect(settings.read().sandbox.wanted).toBe(true)
    await sandbox.stop()
    expect(settings.read().sandbox.wanted).toBe(false)
    expect(sandbox.get()).toEqual({ state: 'stopped' })
  })
})
