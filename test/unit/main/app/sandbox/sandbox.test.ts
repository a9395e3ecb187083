import type { SandboxView, SandboxWorldView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import type { SandboxControl } from '../../../../../src/main/app/sandbox/control'
import { Sandbox } from '../../../../../src/main/app/sandbox/sandbox'
import { memorySettings } from '../../../../support/memory-settings'
import { offeredPlan, waitForReady } from './ready'

const readyMessage = waitForReady({ plans: [offeredPlan('old', { status: 'EXPIRED' }), offeredPlan('pro')] })
const world: SandboxWorldView = { clock: '2026-11-21T08:00:00.000Z', aheadMs: 0, role: 'ROOT', credits: 0 }

interface Overrides {
  readonly failure?: AppError
  readonly settings?: Record<string, unknown>
  readonly isPlanThere?: boolean
}

function createHarness({ failure, settings: initial, isPlanThere = true }: Overrides = {}) {
  const settings = memorySettings(initial)
  const reportedStates: SandboxView['state'][] = []
  const starts: unknown[] = []
  const situations: unknown[] = []
  const storedStates: (string | undefined)[] = []
  let crashSandbox = (): void => undefined
  let stopCount = 0
  const control: SandboxControl = {
    requests: async () => [],
    simulate: async (...args) => void situations.push(args),
    world: async () => world,
    moveClock: async () => ({ world, happened: [] }),
    setAccount: async () => world,
    expireTokens: async () => undefined,
    reset: async () => isPlanThere,
  }
  const sandbox = new Sandbox({
    settings,
    host: {
      start: async (ports) => {
        starts.push(ports)
        if (failure) throw failure
        return readyMessage
      },
      stop: async () => {
        stopCount += 1
      },
      onExit: (listener) => {
        crashSandbox = listener
      },
    },
    createControl: () => control,
    keepPlan: async ({ plans: [firstPlan] }) => {
      storedStates.push(firstPlan?.planId)
      return 'plan-1'
    },
    onChanged: ({ state }) => reportedStates.push(state),
  })
  return {
    sandbox,
    settings,
    told: reportedStates,
    starts,
    situations,
    kept: storedStates,
    crash: () => crashSandbox(),
    stops: () => stopCount,
  }
}

describe('Sandbox', () => {
  it('starts once for concurrent callers, and saves the ports so that the address stays the same', async () => {
    const { sandbox, settings, starts, told } = createHarness()
    const [firstView, secondView] = await Promise.all([sandbox.open(), sandbox.open()])
    expect(firstView).toEqual({
      state: 'running',
      gatewayUrl: readyMessage.gatewayUrl,
      planId: 'plan-1',
      situation: 'normal',
    })
    expect(secondView).toEqual(firstView)
    expect(starts).toEqual([{ gatewayPort: 4860, platformPort: 4861 }])
    expect(told).toEqual(['starting', 'running'])
    expect(settings.read().sandbox).toEqual({
      gatewayPort: 5001,
      platformPort: 5002,
      wanted: true,
      planId: 'plan-1',
      offered: { planId: 'pro', keyId: 'pro-key' },
    })
  })

  it('uses free ports on request', async () => {
    const { sandbox, starts } = createHarness()
    await sandbox.open({ anotherPort: true })
    expect(starts).toEqual([{ gatewayPort: 0, platformPort: 0 }])
  })

  it('reports why it could not start, leaves no process and keeps the ports', async () => {
    const failure = new AppError('sandbox.portInUse', 'Port 4860 is taken.')
    const { sandbox, settings, stops } = createHarness({ failure })
    await expect(sandbox.open()).rejects.toBe(failure)
    expect(sandbox.get()).toEqual({ state: 'failed', failure: failure.failure })
    expect(stops()).toBe(1)
    expect(settings.read().sandbox).toMatchObject({ gatewayPort: 4860, wanted: false })
  })

  it('shows that it exited unexpectedly, and can be restarted', async () => {
    const { sandbox, crash } = createHarness()
    await sandbox.open()
    crash()
    expect(sandbox.get()).toMatchObject({ state: 'failed', failure: { code: 'sandbox.failed' } })
    for (const call of [sandbox.simulate('normal'), sandbox.reset(), (async () => sandbox.control())()])
      await expect(call).rejects.toMatchObject({ failure: { code: 'sandbox.failed' } })
    expect(await sandbox.requests({})).toEqual([])
    expect((await sandbox.open()).state).toBe('running')
  })

  it('does not start with the app after the user stopped it, but does after the app quit', async () => {
    const { sandbox, settings } = createHarness()
    await sandbox.open()
    await sandbox.end()
    expect(settings.read().sandbox.wanted).toBe(true)
    await sandbox.stop()
    expect(settings.read().sandbox.wanted).toBe(false)
    expect(sandbox.get()).toEqual({ state: 'stopped' })
  })

  it('offers the plan used before, whatever its state', async () => {
    const offeredKey = { planId: 'old', keyId: 'old-key' }
    const settings = {
      sandbox: { gatewayPort: 1, platformPort: 2, wanted: true, planId: 'plan-1', offered: offeredKey },
    }
    const { sandbox, kept } = createHarness({ settings })
    await sandbox.open()
    expect(kept).toEqual(['old'])
  })

  it('keeps its scenario after a restart', async () => {
    const { sandbox, situations } = createHarness()
    await sandbox.open()
    await sandbox.simulate('rateLimited')
    await sandbox.stop()
    expect((await sandbox.open()).situation).toBe('rateLimited')
    expect(situations).toEqual([
      ['normal', 'normal'],
      ['rateLimited', 'normal'],
      ['rateLimited', 'rateLimited'],
    ])
  })

  it('applies scenarios in sequence, however quickly they are chosen', async () => {
    const { sandbox, situations } = createHarness()
    await sandbox.open()
    await Promise.all(
      (['keyDisabled', 'planExpired', 'normal'] as const).map((situation) => sandbox.simulate(situation)),
    )
    expect(situations.slice(1)).toEqual([
      ['keyDisabled', 'normal'],
      ['planExpired', 'keyDisabled'],
      ['normal', 'planExpired'],
    ])
  })

  it('has no scenario after a reset, and keeps its process', async () => {
    const { sandbox, settings, starts } = createHarness()
    await sandbox.open()
    await sandbox.simulate('dropped')
    expect(await sandbox.reset()).toMatchObject({ state: 'running', situation: 'normal' })
    expect(settings.read().sandbox.situation).toBe('normal')
    expect(starts).toHaveLength(1)
  })

  it('restarts after a reset that removed the plan in use, so that another one is offered', async () => {
    const { sandbox, starts, stops, told, kept } = createHarness({ isPlanThere: false })
    await sandbox.open()
    expect(await sandbox.reset()).toMatchObject({ state: 'running', situation: 'normal' })
    expect([starts.length, stops(), kept]).toEqual([2, 1, ['pro', 'pro']])
    expect(told.slice(-2)).toEqual(['starting', 'running'])
  })
})
