import type { PlanView, ProfileFile } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { findFreePlanName, ImportProfilePage } from '../../../../../../src/renderer/features/tools/profiles/import-page'
import { localPlan } from '../../../../../support/tool-setups'
import { chooseOption, installMain, renderInApp } from '../../../support/fake-main'
import { profile } from '../../../support/profiles'
import { failedCheck } from '../../../support/views'
import { resetStores } from '../../../support/zustand'

const filePlan = {
  ref: 'plan-1',
  name: 'team',
  gatewayUrl: 'https://gateway.example.com',
  models: ['large', 'small'],
  contextTokens: 200_000,
}

const buildProfileFile = (overrides: Partial<ProfileFile> = {}): ProfileFile => ({
  name: 'from Lan',
  plans: [filePlan],
  tools: [{ toolId: 'claude-code', toolName: 'Claude Code', planRef: 'plan-1', modelCode: 'large' }],
  notes: [],
  ...overrides,
})

interface PageInput {
  readonly file?: ProfileFile
  readonly plans?: PlanView[]
  readonly onRead?: () => Failure
}

async function renderPage({ file = buildProfileFile(), plans = [], onRead }: PageInput = {}) {
  const fakeMain = installMain({
    'plans.list': () => plans,
    'profiles.list': () => [profile()],
    'profiles.readFile': () => onRead?.() ?? { importId: 'i1', file },
    'plans.takeKeyFromClipboard': () => ({ pendingId: 'pending-1', masked: 'sk-...a1b2' }),
    'plans.checkNew': () => failedCheck,
    'plans.add': ({ name, gatewayUrl }) => localPlan({ id: 'added', name, gatewayUrl }),
  })
  const view = await renderInApp(<ImportProfilePage />, '/profiles/import')
  await userEvent.click(await screen.findByRole('button', { name: 'Choose a file…' }))
  return { main: fakeMain, ...view }
}

const getSaveButton = (): HTMLElement => screen.getByRole('button', { name: 'Save profile' })

beforeEach(resetStores)

describe('a teammate’s profile', () => {
  it('creates no plan with a rejected key unless forced', async () => {
    const otherPlan = localPlan({ gatewayUrl: 'https://other.example.com' })
    const { main } = await renderPage({ plans: [otherPlan] })
    await userEvent.click(await screen.findByRole('button', { name: 'Add the key of team' }))
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByRole('textbox', { name: /name/i }).getAttribute('value')).toBe('team-2')
    await userEvent.click(within(dialog).getByRole('button', { name: /Paste/ }))
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Test and add' }))
    await within(dialog).findByRole('alert')
    expect(main.askedFor('plans.add')).toEqual([])
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save anyway' }))
    await waitFor(() => expect(main.askedFor('plans.add')).toHaveLength(1))
  })

  it('warns when the selected plan has another gateway or lacks the model', async () => {
    const labPlan = localPlan({ name: 'lab', gatewayUrl: 'https://lab.example.com', models: ['other'] })
    await renderPage({ plans: [labPlan] })
    await chooseOption('Plan for team', /lab/)
    await screen.findByText('Different gateway')
    await screen.findByText(/lab does not list this model/)
    expect(getSaveButton().hasAttribute('disabled')).toBe(false)
  })

  it('refuses another profile’s name', async () => {
    await renderPage({
      file: buildProfileFile({ name: 'Work', plans: [{ ...filePlan, matchingPlanId: 'p1' }] }),
      plans: [localPlan()],
    })
    await screen.findByText('Another profile has this name.')
    expect(getSaveButton().hasAttribute('disabled')).toBe(true)
  })

  it('lists what cannot be used here', async () => {
    const unknownTool = { toolId: 'tool-of-tomorrow', what: 'toolUnknown' } as const
    const notes = [unknownTool, { toolId: 'claude-code', what: 'deliveryUnknown' } as const]
    await renderPage({ file: buildProfileFile({ notes }) })
    await screen.findByText('Skipped, unknown to this version of the app: tool-of-tomorrow.')
    await screen.findByText(/^Claude Code: uses the safest key delivery/)
  })

  it('is requested when the dialog was closed, and explained when unreadable', async () => {
    await renderPage({ onRead: () => ({ code: 'profile.unreadable', message: 'No.', line: 4 }) })
    await screen.findByText('Not a valid profile file')
    await screen.findByText(/in line 4/)
  })
})

describe('the name of a new plan', () => {
  const gatewayUrl = 'https://gw.example.com'
  it.each<[string, readonly string[], string]>([
    ['team', [], 'team'],
    ['team', ['team', 'team-2'], 'team-3'],
    ['Đội một', [], 'i-m-t'],
    ['—', [], 'gw.example.com'],
    ['x'.repeat(50), ['x'.repeat(50)], `${'x'.repeat(48)}-2`],
  ])('made of "%s" is valid and unique', (name, takenNames, expected) => {
    expect(findFreePlanName({ name, gatewayUrl }, takenNames)).toBe(expected)
  })
})
