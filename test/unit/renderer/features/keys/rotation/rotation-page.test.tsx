import type { RotationView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { RotationPage } from '../../../../../../src/renderer/features/keys/rotation/rotation-page'
import { expectLink, installMain, renderInApp } from '../../../support/fake-main'
import { buildSteps, rotation } from '../../../support/key-care'

const site = { kind: 'user' } as const
const buildSkippedTool = (
  code: 'file.changed' | 'rotation.keyByHand' | 'rotation.toolUnknown',
): RotationView['tools'][number] => ({
  toolId: 'zed',
  toolName: 'Zed',
  site,
  state: 'failed',
  failure: { code, message: 'For the log.' },
})

/** A switched tool that keeps the old key in memory until its restart. */
const tools = [{ toolId: 'zed', toolName: 'Zed', site, state: 'verified' as const, needsRestart: true }]

const findSteps = async (name = 'Steps') => within(await screen.findByRole('list', { name })).getAllByRole('listitem')

async function renderPage(
  initialRotation: RotationView | undefined,
  changedFields: Partial<RotationView> = {},
  uses: { toolId: string; at: string }[] = [],
) {
  let currentRotation = initialRotation
  const change = () => {
    currentRotation = { ...rotation(), ...currentRotation, ...changedFields }
    return currentRotation
  }
  const fakeMain = installMain({
    'rotation.list': () => (currentRotation ? [currentRotation] : []),
    'rotation.stop': change,
    'rotation.resume': change,
    'rotation.undo': change,
    'rotation.oldKeyUses': () => uses,
    'rotation.confirmTool': change,
    'rotation.dismiss': () => {
      currentRotation = undefined
      return {}
    },
    'plans.copyKey': () => ({ clearsAfterMs: 30_000 }),
    'app.recheckVault': () => ({ code: 'vault.unavailable', message: 'no' }),
  })
  const view = await renderInApp(<RotationPage />, '/rotate/r1', '/rotate/:rotationId')
  return { main: fakeMain, user: userEvent.setup(), ...view }
}

describe('the picture of a rotation', () => {
  const verifiedTool = { toolId: 'claude-code', toolName: 'Claude Code', site, state: 'verified' } as const
  const pendingTool = { toolId: 'zed', toolName: 'Zed', site, state: 'pending' } as const
  const bothTools = [verifiedTool, pendingTool]

  const handover: RotationView['handover'] = [
    { holder: { kind: 'person', name: 'Lan' }, state: 'handedOut' },
    { holder: { kind: 'person', name: 'Minh' }, state: 'confirmed' },
  ]
  const undoSteps: RotationView['undoSteps'] = [
    { id: 'enable', state: 'done' },
    { id: 'giveBack', state: 'running' },
  ]

  it.each<[string, Partial<RotationView>, string]>([
    [
      'who uses which key while tools switch',
      { tools: bothTools },
      'Claude Code uses lan-laptop-2. Zed uses lan-laptop. lan-laptop: Active. lan-laptop-2: Active.',
    ],
    [
      'a holder with the old key until the new one is confirmed',
      { tools: [], handover, steps: buildSteps(6) },
      'Lan uses lan-laptop. Minh uses lan-laptop-2. lan-laptop: Disabled. lan-laptop-2: Active.',
    ],
    [
      'the reverse direction during an undo',
      { tools: bothTools, steps: buildSteps(6), undoSteps },
      'Claude Code uses lan-laptop. Zed uses lan-laptop-2. lan-laptop: Active. lan-laptop-2: Active.',
    ],
  ])('shows %s', async (_, overrides, label) => {
    await renderPage(rotation(overrides))
    expect((await screen.findByRole('img')).getAttribute('aria-label')).toBe(label)
  })
})

describe('the overlap of both keys', () => {
  const disableAt = new Date(Date.now() + 3_600_000).toISOString()
  const overlappingRotation = rotation({ state: 'waiting', tools, steps: buildSteps(5, 'running'), disableAt })

  it('shows until when both keys work, and which tools still use the old one', async () => {
    await renderPage(overlappingRotation, {}, [{ toolId: 'zed', at: new Date(Date.now() - 120_000).toISOString() }])
    await screen.findByText('Both keys work')
    expect(screen.getByText(/is disabled on /)).toBeTruthy()
    await screen.findByText(/Last requests with the old key: Zed/)
    expect(screen.getByText(/Restart if running: Zed/)).toBeTruthy()
    expect(screen.getByText(/Other computers that use this key are not known/)).toBeTruthy()
    expect(screen.queryByText(/is disabled and will be deleted/)).toBeNull()
  })

  it('names the other computers that could not switch their tools', async () => {
    const at = new Date().toISOString()
    const person = { machineUid: 'm', person: 'Minh', osUser: 'minh', toolNames: ['Zed'], publishedAt: at }
    const computers = [
      { ...person, computer: 'desk', failedAt: at },
      { ...person, computer: 'laptop' },
    ]
    await renderPage({ ...overlappingRotation, computers })
    expect((await screen.findByText(/could not be switched/)).textContent).toContain('on desk (Minh).')
  })

  it('lists what stops before an undo', async () => {
    const handover = [
      { holder: { kind: 'person', name: 'Lan' }, state: 'confirmed' },
      { holder: { kind: 'person', name: 'Minh' }, state: 'open' },
    ] as const
    const { main, user } = await renderPage({ ...overlappingRotation, canUndo: true, handover: [...handover] })
    await user.click(await screen.findByRole('button', { name: 'Undo…' }))
    const { textContent } = await screen.findByRole('alertdialog', { name: 'Undo rotation of lan-laptop?' })
    expect(textContent).toContain('Lan loses access')
    expect(textContent).toContain('The new key “lan-laptop-2” is deleted')
    expect(main.askedFor('rotation.undo')).toEqual([])
  })
})

describe('a running rotation', () => {
  it('shows the current, finished and remaining steps', async () => {
    await renderPage(rotation())
    const steps = await findSteps()
    expect(steps[0]?.textContent).toContain('Create new keydone')
    expect(steps[4]?.textContent).toContain('Test each toolin progress')
    expect(steps[4]?.getAttribute('aria-current')).toBe('step')
    expect(steps[5]?.textContent).toContain('pending')
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain('Step 5 of 9: Test each tool')
    expect(screen.queryByRole('button', { name: 'Undo…' })).toBeNull()
  })

  it('names the tools to restart at the step that disables the old key, and in the report', async () => {
    const waiting = { state: 'waiting', deleteAt: '2026-11-22T08:00:00.000Z', tools } as const
    const { user } = await renderPage(rotation({ tools, steps: buildSteps(5, 'running') }), waiting)
    const steps = await findSteps()
    expect(steps[5]?.textContent).toContain('gets 401 until you restart it')
    expect(screen.queryByText('Restart if running: Zed')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Stop' }))
    await screen.findByText('Restart if running: Zed')
    expect(steps[5]?.textContent).not.toContain('401')
  })

  it('can be stopped after the current step', async () => {
    const { main, user } = await renderPage(rotation())
    await user.click(await screen.findByRole('button', { name: 'Stop' }))
    await screen.findByRole('button', { name: 'Stopping…' })
    expect(main.askedFor('rotation.stop')).toEqual([{ id: 'r1' }])
  })
})

describe('a rotation with a skipped tool', () => {
  const stoppedRotation = rotation({
    state: 'stopped',
    canResume: true,
    steps: buildSteps(4, 'failed', { code: 'file.changed', message: 'no' }),
    tools: [buildSkippedTool('file.changed')],
  })

  it('shows the damaged record of a tool with an unknown key', async () => {
    const recordPath = '/home/lan/.config/companion/tools/zed.json'
    await renderPage({ ...stoppedRotation, tools: [{ ...buildSkippedTool('rotation.toolUnknown'), recordPath }] })
    await screen.findByText(recordPath)
    expect(screen.getByText(/Unknown key in Zed/)).toBeTruthy()
  })

  it('resumes on request', async () => {
    const { main, user } = await renderPage(stoppedRotation, { state: 'running', tools: [] })
    await user.click(await screen.findByRole('button', { name: 'Resume' }))
    await main.waitForCalls('rotation.resume', [{ id: 'r1' }])
    await waitFor(() => expect(screen.queryByText(/Both keys still work/)).toBeNull())
  })

  it('hands out the key for a manual tool, and resumes afterwards', async () => {
    const manualRotation = { ...stoppedRotation, tools: [buildSkippedTool('rotation.keyByHand')] }
    const { main, user } = await renderPage(manualRotation, { tools: [] })
    await user.click(await screen.findByRole('button', { name: 'Copy key for Zed' }))
    expect(main.askedFor('plans.copyKey')).toEqual([{ planId: 'p1', keyId: 'n1' }])
    await user.click(screen.getByRole('button', { name: 'Mark Zed as updated' }))
    await main.waitForCalls('rotation.resume', [{ id: 'r1' }])
    expect(main.askedFor('rotation.confirmTool')).toEqual([{ id: 'r1', toolId: 'zed', site }])
  })
})

it('a failed rotation explains the failure at its step, and retries from there', async () => {
  const failedRotation = rotation({
    state: 'failed',
    canResume: true,
    steps: buildSteps(6, 'failed', { code: 'rotation.oldKeyStillWorks', message: 'no' }),
    tools: [],
  })
  const { main, user } = await renderPage(failedRotation, { state: 'running' })
  const steps = await findSteps()
  expect(steps[6]?.textContent).toContain('The old key still works')
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await main.waitForCalls('rotation.resume', [{ id: 'r1' }])
})

it('shows that tools work with the old key after an undo, and which running ones are rejected', async () => {
  const undoSteps = (['enable', 'giveBack', 'verifyBack', 'remove'] as const).map((id) => ({
    id,
    state: 'done' as const,
  }))
  await renderPage(rotation({ state: 'undone', canUndo: false, undoSteps, tools }))
  await screen.findByText('old key, test passed')
  await screen.findByText('Restart if opened during the rotation: Zed')
  expect(screen.queryByText(/still has the old key in memory/)).toBeNull()
})

it('shows the undo steps, and copies the old key for a manual tool', async () => {
  const { main, user } = await renderPage(
    rotation({
      state: 'stopped',
      canResume: true,
      canUndo: false,
      undoSteps: [
        { id: 'enable', state: 'done' },
        { id: 'giveBack', state: 'failed', failure: { code: 'rotation.keyByHand', message: 'no' } },
        { id: 'verifyBack', state: 'pending' },
        { id: 'remove', state: 'pending' },
      ],
      tools: [buildSkippedTool('rotation.keyByHand')],
    }),
  )
  const undoStepItems = await findSteps('Undo steps')
  expect(undoStepItems.map(({ textContent }) => textContent)[1]).toContain('Switch tools and profiles backfailed')
  await user.click(screen.getByRole('button', { name: 'Copy key for Zed' }))
  expect(main.askedFor('plans.copyKey')).toEqual([{ planId: 'p1', keyId: 'k1' }])
})

it('removes a finished rotation from the list and returns there', async () => {
  const { main, user, place } = await renderPage(rotation({ state: 'done', canUndo: false, steps: buildSteps(9) }))
  await screen.findByText('“lan-laptop-2” replaced “lan-laptop”')
  await user.click(screen.getByRole('button', { name: 'Dismiss' }))
  await waitFor(() => expect(place()).toBe('/register/rotations'))
  expect(main.askedFor('rotation.dismiss')).toEqual([{ id: 'r1' }])
})

it('links to the audit trail when a rotation was removed', async () => {
  await renderPage(undefined)
  await screen.findByText('Rotation not found')
  await expectLink('Open audit log', '/register/audit')
})
