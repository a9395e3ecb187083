import type { CheckView } from '@shared/contract'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { NewPlanPage, useNewPlanDraft } from '../../../../../src/renderer/features/plans/new-plan-page'
import { clickButton, createPageRenderer, replaceText } from '../../support/fake-main'
import { appView, buildAddress, failedCheck, passedCheck, plan } from '../../support/views'

const key = 'sk-canary-0123456789abcdef-4fd9'
const url = 'https://gateway.example.com'
const renderPage = (check: CheckView = passedCheck) =>
  createPageRenderer(<NewPlanPage />, '/plans/new', {
    'app.get': () => appView,
    'plans.list': () => [plan({ name: 'taken' })],
    'plans.readAddress': () => ({ ...buildAddress(url), corrections: ['suffixRemoved'] }),
    'plans.takeKeyFromClipboard': () => ({ pendingId: 'held-1', masked: 'sk-...4fd9' }),
    'plans.checkNew': () => check,
    'plans.add': ({ name }) => plan({ id: 'p9', name }),
  })()

async function fillForm(): Promise<void> {
  await userEvent.type(screen.getByLabelText('Gateway address'), 'Gateway.example.com/v1')
  await screen.findAllByText('https://gateway.example.com/v1')
  await clickButton('Paste key')
  await screen.findByText('sk-...4fd9')
}

beforeEach(() => useNewPlanDraft.getState().clear())

describe('a plan from a handed-over key', () => {
  it('gets no suggested name while the user is typing one', async () => {
    await renderPage()
    const name = screen.getByLabelText<HTMLInputElement>(/^Name/)
    fireEvent.change(screen.getByLabelText('Gateway address'), { target: { value: 'gateway.example.com' } })
    await userEvent.click(name)
    await screen.findAllByText('https://gateway.example.com/v1')
    expect(name.value).toBe('')
    await userEvent.tab()
    expect(name.value).toBe('gateway.example.com')
    await userEvent.type(name, '-2')
    await userEvent.tab()
    expect(name.value).toBe('gateway.example.com-2')
  })

  it('shows corrections of the address and the resulting requests of each standard', async () => {
    await renderPage()
    await userEvent.type(screen.getByLabelText('Gateway address'), 'Gateway.example.com/v1')
    await screen.findByText(/path after the host removed/)
    const tools = screen.getByRole('list', { name: 'Addresses for tools' })
    expect(tools.textContent).toContain(`${url}/v1/chat/completions`)
    expect(tools.textContent).toContain(`${url}/v1/messages`)
  })

  it('pastes the key with Ctrl+V while the button has the focus, and ignores the text', async () => {
    const { main, container } = await renderPage()
    screen.getByRole('button', { name: 'Paste key' }).focus()
    await userEvent.keyboard('{Control>}v{/Control}')
    await screen.findByText('sk-...4fd9')
    expect(main.askedFor('plans.takeKeyFromClipboard')).toHaveLength(1)
    await userEvent.paste(key)
    await waitFor(() => expect(main.askedFor('plans.takeKeyFromClipboard')).toHaveLength(2))
    expect(container.innerHTML).not.toContain('canary')
    expect(JSON.stringify(main.asked)).not.toContain('canary')
  })

  it('has no field for a key', async () => {
    const { container } = await renderPage()
    const labels = [...container.querySelectorAll('input, textarea')].map((field) => field.getAttribute('id'))
    const labelTexts = labels.map((id) => container.querySelector(`label[for="${id}"]`)?.textContent)
    const optionalFields = ['Model codesoptional', 'Expiry dateoptional', 'Context windowoptional']
    expect(labelTexts).toEqual(['Gateway address', 'Name', ...optionalFields])
  })

  it('checks before saving, keeps model codes unchanged, and opens the new plan', async () => {
    const { main, place } = await renderPage()
    await fillForm()
    await userEvent.type(screen.getByLabelText(/Model codes/), 'Large-2, fast')
    await clickButton('Save plan')
    await waitFor(() => expect(place()).toBe('/plans/p9'))
    expect(main.askedFor('plans.checkNew')).toEqual([{ gatewayUrl: url, pendingId: 'held-1', modelCode: 'Large-2' }])
    expect(main.askedFor('plans.add')).toEqual([
      { name: 'gateway.example.com', gatewayUrl: url, pendingId: 'held-1', models: ['Large-2', 'fast'] },
    ])
  })

  it('explains a failed check and saves only after a confirmation', async () => {
    const { main, place } = await renderPage(failedCheck)
    await fillForm()
    await clickButton('Save plan')
    await screen.findByRole('alertdialog', { name: 'Test failed. Save anyway?' })
    expect(main.askedFor('plans.add')).toEqual([])
    await clickButton('Save anyway')
    await waitFor(() => expect(place()).toBe('/plans/p9'))
  })

  it('scrolls to the result of a check, which is taller than the sticky bar', async () => {
    const titles: string[] = []
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
      titles.push(this.textContent ?? '')
    })
    onTestFinished(() => scroll.mockRestore())
    await renderPage(failedCheck)
    await fillForm()
    await clickButton('Test')
    await screen.findByText('The gateway rejected the key')
    expect(titles.at(-1)).toContain('ask the person who issued it')
  })

  it('offers to paste the key again when the gateway rejects it', async () => {
    await renderPage(failedCheck)
    await fillForm()
    await clickButton('Test')
    await screen.findByText('The gateway rejected the key')
    await clickButton('Paste the key again')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Paste another' }))
  })

  it('ignores a check of different data', async () => {
    const { main } = await renderPage()
    await fillForm()
    await clickButton('Test')
    await screen.findByText('Key and plan work')
    await userEvent.type(screen.getByLabelText(/Model codes/), 'large{Enter}')
    await waitFor(() => expect(screen.queryByText('Key and plan work')).toBeNull())
    await clickButton('Save plan')
    await waitFor(() => expect(main.askedFor('plans.add')).toHaveLength(1))
    expect(main.askedFor('plans.checkNew')).toHaveLength(2)
  })

  it('validates names while typing, and refuses a duplicate', async () => {
    await renderPage()
    await userEvent.type(screen.getByLabelText('Name'), 'my plan')
    await screen.findByText(/^Use only/)
    await replaceText(screen.getByLabelText('Name'), 'taken')
    await screen.findByText('A plan with this name already exists.')
  })

  it('keeps the form after the page was left', async () => {
    const { unmount } = await renderPage()
    await fillForm()
    unmount()
    await renderPage()
    expect(screen.getByLabelText('Gateway address').getAttribute('value')).toBe('Gateway.example.com/v1')
    await screen.findByText('sk-...4fd9')
  })
})
