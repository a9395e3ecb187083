import type { OperationView, RotationView } from '@shared/contract'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { OperationsState } from '../../../../../src/renderer/features/shell/operations-state'
import { operation } from '../../support/connections'
import { clickButton, installMain, renderInApp } from '../../support/fake-main'
import { buildSteps, rotation } from '../../support/key-care'
import { withToasts } from '../../support/toasts'

const failure = { code: 'api.serverError' as const, message: 'For the log.' }
const buildEndedOperation = (state: 'succeeded' | 'failed', overrides: Partial<OperationView> = {}): OperationView =>
  operation({ state, endedAt: '2026-11-21T08:01:00.000Z', ...(state === 'failed' ? { failure } : {}), ...overrides })

async function renderPage(initialOperations: readonly OperationView[], rotations: readonly RotationView[] = []) {
  let list = [...initialOperations]
  let remainingRotations = [...rotations]
  const fakeMain = installMain({
    'operations.list': () => list,
    'rotation.list': () => remainingRotations,
    'rotation.dismiss': ({ id }) => {
      remainingRotations = remainingRotations.filter((listedRotation) => listedRotation.id !== id)
      return {}
    },
    'operations.dismiss': ({ id }) => {
      list = list.filter((listedOperation) => listedOperation.id !== id)
      return {}
    },
    'operations.follow': ({ id }) => {
      list = list.map((listedOperation) => (listedOperation.id === id ? operation({ id }) : listedOperation))
      return {}
    },
  })
  await renderInApp(withToasts(<OperationsState collapsed={false} />))
  await waitFor(() => expect(fakeMain.askedFor('operations.list')).toHaveLength(1))
  const change = async (newOperations: readonly OperationView[]): Promise<void> => {
    list = [...newOperations]
    await act(async () => fakeMain.tell('data.changed', { domains: ['operations'] }))
  }
  const rotate = async (newRotations: readonly RotationView[]): Promise<void> => {
    remainingRotations = [...newRotations]
    await act(async () => fakeMain.tell('data.changed', { domains: ['rotation'] }))
  }
  return { main: fakeMain, change, rotate }
}

const openList = async (name: RegExp): Promise<HTMLElement> => {
  await userEvent.click(await screen.findByRole('button', { name }))
  return screen.findByRole('dialog', { name: 'Background tasks' })
}

describe('operations in the sidebar', () => {
  it('are hidden without operations, and follow main’s events', async () => {
    const { change } = await renderPage([])
    expect(screen.queryByRole('button')).toBeNull()
    await change([operation()])
    await screen.findByRole('button', { name: /1 task running/ })
    await change([])
    await waitFor(() => expect(screen.queryByRole('button')).toBeNull())
  })

  it('show the worst first: failed, running, done', async () => {
    const endedOperation = buildEndedOperation('succeeded', { id: 'o3' })
    const { change } = await renderPage([operation(), operation({ id: 'o2' }), endedOperation])
    await screen.findByRole('button', { name: /2 tasks running/ })
    await change([operation(), buildEndedOperation('failed', { id: 'o2' })])
    await screen.findByRole('button', { name: /1 task failed/ })
    await change([buildEndedOperation('succeeded')])
    await screen.findByRole('button', { name: /1 task done/ })
  })

  it('are listed with connection and progress', async () => {
    const endedOperation = buildEndedOperation('succeeded', { id: 'o2', subject: 'deploy' })
    await renderPage([operation({ kind: 'apiKey.delete' }), endedOperation])
    const list = await openList(/1 task running/)
    expect(within(list).getAllByRole('listitem')[0]?.textContent).toMatch(/Deleting API key ci-runneron Production/)
    expect(within(list).getByText('API key deploy is ready')).toBeTruthy()
    expect(within(list).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50')
  })

  it('explain a failure and resume on request', async () => {
    const { main } = await renderPage([buildEndedOperation('failed')])
    const list = await openList(/1 task failed/)
    expect(within(list).getByText('Platform error')).toBeTruthy()
    await clickButton(/^Watch “Couldn’t create API key ci-runner” again/)
    await within(list).findByText('Creating API key ci-runner')
    expect(main.askedFor('operations.follow')).toEqual([{ id: 'o1' }])
  })

  it('are dismissed individually, or all finished ones together', async () => {
    const succeeded = ['o1', 'o2'].map((id) => buildEndedOperation('succeeded', { id }))
    const { main } = await renderPage([...succeeded, buildEndedOperation('failed', { id: 'o3' })])
    const list = await openList(/1 task failed/)
    await userEvent.click(within(list).getByRole('button', { name: 'Clear finished' }))
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1))
    await userEvent.click(within(list).getByRole('button', { name: /^Dismiss/ }))
    await waitFor(() => expect(screen.queryByRole('button', { name: /task/ })).toBeNull())
    expect(main.askedFor('operations.dismiss')).toEqual([{ id: 'o1' }, { id: 'o2' }, { id: 'o3' }])
  })
})

describe('a failed operation', () => {
  const endsAt = new Date(Date.now() + 60_000).toISOString()

  it('is announced once, however often the list is read', async () => {
    const { change } = await renderPage([operation({ subject: 'once' })])
    const expiredOperation = buildEndedOperation('failed', { subject: 'once', endedAt: endsAt })
    await change([expiredOperation])
    await waitFor(() => expect(screen.getAllByText('Couldn’t create API key once')).toHaveLength(1))
    await change([expiredOperation, operation({ id: 'o2' })])
    await screen.findByRole('button', { name: /1 task failed/ })
    expect(screen.getAllByText('Couldn’t create API key once')).toHaveLength(1)
  })

  it('is not announced when it failed before the window opened', async () => {
    await renderPage([buildEndedOperation('failed', { subject: 'long-ago', endedAt: '2020-01-01T00:00:00.000Z' })])
    await screen.findByRole('button', { name: /1 task failed/ })
    expect(screen.queryByText('Couldn’t create API key long-ago')).toBeNull()
  })
})

describe('rotations among the operations', () => {
  it('are counted with the platform’s, and link to their page', async () => {
    await renderPage([operation()], [rotation()])
    const list = await openList(/2 tasks running/)
    expect(within(list).getByText('Rotating lan-laptop')).toBeTruthy()
    expect(within(list).getByText('Step 5 of 9: Test each tool')).toBeTruthy()
    const link = within(list).getByRole('link', { name: 'View “Rotating lan-laptop”' })
    expect(link.getAttribute('href')).toBe('/rotate/r1')
  })

  it('that are paused need attention', async () => {
    await renderPage([operation()], [rotation({ state: 'stopped' })])
    await screen.findByRole('button', { name: /1 task needs attention/ })
  })

  it('that wait for days are omitted', async () => {
    await renderPage([], [rotation({ state: 'waiting' })])
    await waitFor(() => expect(screen.queryByRole('button', { name: /task/ })).toBeNull())
  })

  it('are dismissed once finished', async () => {
    const { main } = await renderPage([], [rotation({ state: 'done', steps: buildSteps(9) })])
    const list = await openList(/1 task done/)
    await userEvent.click(within(list).getByRole('button', { name: 'Dismiss “lan-laptop rotated”' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: /task/ })).toBeNull())
    expect(main.askedFor('rotation.dismiss')).toEqual([{ id: 'r1' }])
  })

  it('are announced when they pause while the window is open', async () => {
    const failure = { code: 'net.cut' as const, message: 'no' }
    const stuckRotation = rotation({ state: 'failed', steps: buildSteps(2, 'failed', failure) })
    const { rotate } = await renderPage([], [rotation({ id: 'r0', oldKeyName: 'old', state: 'failed' }), rotation()])
    await screen.findByRole('button', { name: /1 task needs attention/ })
    await rotate([stuckRotation])
    await screen.findByText('Rotation of lan-laptop stopped')
    await rotate([rotation({ id: 'r9', oldKeyName: 'other', state: 'waiting' }), stuckRotation])
    expect(screen.queryByText('other rotated')).toBeNull()
    expect(screen.getAllByText('Rotation of lan-laptop stopped')).toHaveLength(1)
  })

  it('that wait for holders are not announced as rotated', async () => {
    const { rotate } = await renderPage([], [rotation()])
    await screen.findByRole('button', { name: /1 task running/ })
    const handover = [{ holder: { kind: 'person' as const, name: 'Lan' }, state: 'open' as const }]
    await rotate([rotation({ state: 'waiting', handover })])
    await screen.findByText('Tools use the new key of lan-laptop. Waiting for its holders.')
    expect(screen.queryByText('lan-laptop rotated')).toBeNull()
  })
})
