import { dayMs } from '@shared/durations'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { RotatePage } from '../../../../../../src/renderer/features/keys/rotation/rotate-page'
import { createPageRenderer, expectLink, replaceText } from '../../../support/fake-main'
import { buildLocalAccountPlan, buildLocalKey, entry, rotation, rotationPlan } from '../../../support/key-care'
import { mockElementSize } from '../../../support/sized'
import { plan } from '../../../support/views'

mockElementSize(800)

const rotateUrl = '/rotate?plan=p1&key=k1'

const renderPage = createPageRenderer(<RotatePage />, rotateUrl, {
  'plans.list': () => [buildLocalAccountPlan(), plan({ id: 'p9', name: 'handed' })],
  'rotation.list': () => [],
  'rotation.preview': () => rotationPlan(),
  'rotation.start': () => rotation(),
  'register.list': () => [entry()],
  'tools.list': () => [],
})

const findStartButton = (): Promise<HTMLButtonElement> => screen.findByRole('button', { name: 'Start rotation' })

describe('the plan of a rotation', () => {
  it('starts only on request, with the chosen name and period', async () => {
    const { main, user, place } = await renderPage()
    await user.click(await screen.findByRole('radio', { name: '7 days' }))
    const name = screen.getByRole('textbox', { name: 'New key name' })
    await replaceText(name, ' lan-2027 ')
    expect(main.askedFor('rotation.start')).toEqual([])
    await user.click(await findStartButton())
    await waitFor(() => expect(place()).toBe('/rotate/r1'))
    expect(main.askedFor('rotation.start')).toEqual([
      { planId: 'p1', keyId: 'k1', graceMs: 7 * 86_400_000, newKeyName: 'lan-2027' },
    ])
  })

  it('warns that nothing can be undone when the old key is deleted immediately', async () => {
    const { user } = await renderPage()
    await user.click(await screen.findByRole('radio', { name: 'None, delete immediately' }))
    await screen.findByText(/You can’t undo the rotation after that/)
    expect(screen.getByText('No grace period: the old key is deleted immediately.')).toBeTruthy()
  })

  it.each(['', '31', 'soon'])('refuses a period like %j', async (amount) => {
    const { user } = await renderPage()
    await user.click(await screen.findByRole('radio', { name: 'Custom' }))
    const field = screen.getByRole('textbox', { name: 'Duration' })
    await user.clear(field)
    if (amount !== '') await user.type(field, amount)
    expect((await findStartButton()).disabled).toBe(true)
    expect(screen.getByText('Enter a whole number, up to 30 days.')).toBeTruthy()
  })

  it('lists tools with an unknown key, and the damaged record', async () => {
    const recordPath = '/home/lan/.config/companion/tools/zed.json'
    const unknownTools = [{ toolId: 'zed', toolName: 'Zed', site: { kind: 'user' } as const, recordPath }]
    await renderPage({ 'rotation.preview': () => rotationPlan({ unknownTools }) })
    await screen.findByText('Key unknown for Zed')
    expect(screen.getByText(recordPath)).toBeTruthy()
    expect((await findStartButton()).disabled).toBe(false)
  })

  it('keeps the old key until its holder confirms, or disables it immediately if chosen', async () => {
    const answers = { 'rotation.preview': () => rotationPlan({ holders: ['Minh'] }) }
    const waitingPage = await renderPage(answers)
    await screen.findByText('Other holder: Minh')
    await waitingPage.user.click(await findStartButton())
    expect(waitingPage.main.askedFor('rotation.start')[0]).not.toHaveProperty('disableBy')
    expect(waitingPage.main.askedFor('rotation.start')[0]).not.toHaveProperty('disableAfterMs')
    cleanup()
    const leakedPage = await renderPage(answers)
    await leakedPage.user.click(await screen.findByRole('radio', { name: 'On a date' }))
    const day = screen.getByLabelText<HTMLInputElement>('Last day of the old key')
    expect(Math.round((Date.parse(day.value) - Date.now()) / dayMs)).toBeGreaterThanOrEqual(6)
    expect((await findStartButton()).disabled).toBe(false)
    await leakedPage.user.clear(day)
    expect((await findStartButton()).disabled).toBe(true)
    await leakedPage.user.click(screen.getByRole('radio', { name: 'Now' }))
    await leakedPage.user.click(await findStartButton())
    expect(leakedPage.main.askedFor('rotation.start')[0]).toMatchObject({ disableAfterMs: 0 })
  })

  it('keeps both keys for an hour when a tool keeps its key in memory, or for the entered hours', async () => {
    const tools = [{ toolId: 'zed', toolName: 'Zed', site: { kind: 'user' } as const, needsRestart: true }]
    const { main, user } = await renderPage({ 'rotation.preview': () => rotationPlan({ tools }) })
    const afterTimeOption = await screen.findByRole<HTMLInputElement>('radio', { name: 'After a time' })
    expect(afterTimeOption.getAttribute('aria-checked')).toBe('true')
    const hours = screen.getByLabelText<HTMLInputElement>('Hours')
    expect(hours.value).toBe('1')
    expect(screen.queryByRole('radio', { name: 'When everyone has confirmed' })).toBeNull()
    await user.clear(hours)
    expect((await findStartButton()).disabled).toBe(true)
    await user.type(hours, '4')
    await user.click(await findStartButton())
    expect(main.askedFor('rotation.start')[0]).toMatchObject({ disableAfterMs: 4 * 3_600_000 })
  })

  it('explains that other computers are unknown without a lead space, and lists known ones', async () => {
    await renderPage()
    await screen.findByText(/Other computers that use this key are not known/)
    cleanup()
    const computers = [
      {
        machineUid: 'b',
        computer: 'desk-b',
        person: 'Minh',
        osUser: 'minh',
        toolNames: ['Claude Code'],
        publishedAt: '2026-11-28T01:00:00.000Z',
      },
    ]
    await renderPage({ 'rotation.preview': () => rotationPlan({ computers }) })
    await screen.findByText('Used on another computer: desk-b (Minh)')
    expect(screen.queryByText(/are not known/)).toBeNull()
  })

  it('links to a rotation in progress instead of starting a second one', async () => {
    const { main } = await renderPage({ 'rotation.list': () => [rotation({ state: 'stopped' })] })
    await screen.findByText('Rotation already in progress')
    await expectLink('View rotation', '/rotate/r1')
    expect(main.askedFor('rotation.start')).toEqual([])
  })

  it('explains why a key cannot be rotated', async () => {
    await renderPage({ 'rotation.preview': () => ({ code: 'rotation.notAtAccount', message: 'no' }) })
    await screen.findByText('Can’t rotate this key here')
  })

  it('stays and shows the reason when it cannot start', async () => {
    const { user, place } = await renderPage({ 'rotation.start': () => ({ code: 'api.serverError', message: 'no' }) })
    await user.click(await findStartButton())
    await screen.findByText('Platform error')
    expect(place()).toBe(rotateUrl)
  })
})

describe('rotating without a selected key', () => {
  it('offers keys that can be rotated, with plan, holder and users', async () => {
    await renderPage({ 'register.list': () => [entry({ tools: ['Claude Code'] })] }, '/rotate')
    const rows = within(await screen.findByRole('list', { name: 'Keys that can be rotated' })).getAllByRole('listitem')
    await waitFor(() => expect(rows[0]?.textContent).toContain('holder: Lan'))
    expect(rows[0]?.textContent).toContain('Claude Code')
    expect(rows).toHaveLength(2)
    await expectLink('Rotate key ci of platform-team', '/rotate?plan=p1&key=k2')
  })

  it('renders only the visible ones of hundreds of keys, and searches the others', async () => {
    const buildPlan = (index: number) =>
      buildLocalAccountPlan({ id: `p${index}`, name: `plan-${index}`, keys: [buildLocalKey()] })
    const { user } = await renderPage(
      { 'plans.list': () => Array.from({ length: 500 }, (_, index) => buildPlan(index)) },
      '/rotate',
    )
    const list = within(await screen.findByRole('list', { name: 'Keys that can be rotated' }))
    const rows = list.getAllByRole('listitem')
    expect(rows.length).toBeLessThan(30)
    expect(rows[0]?.getAttribute('aria-setsize')).toBe('500')
    await user.type(screen.getByRole('searchbox'), 'plan-499')
    await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(1))
  })

  it('explains why none can be rotated when every key was handed over', async () => {
    await renderPage({ 'plans.list': () => [plan()] }, '/rotate')
    await screen.findByText('No keys can be rotated')
  })
})
