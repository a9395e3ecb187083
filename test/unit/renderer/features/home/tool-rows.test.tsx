import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { ToolRows } from '../../../../../src/renderer/features/home/home-page'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tools-store'
import { allTools } from '../../support/all-tools'
import { installMain, renderInApp } from '../../support/fake-main'
import { badCheck } from '../../support/views'

beforeEach(() => useToolsStore.setState({ verifications: {} }))

const shown = allTools().filter(({ kind, installed }) => kind === 'written' && installed)

describe('the tools of the home page', () => {
  it('show their state with one action each', async () => {
    installMain({})
    await renderInApp(<ToolRows tools={shown} />)
    const readStep = (name: string) => screen.getByRole('link', { name }).getAttribute('href')
    expect(readStep('Fix OpenCode')).toBe('/tools/opencode?do=review')
    expect(readStep('Fix Qwen Code')).toBe('/tools/qwen-code')
    expect(readStep('Configure Kilo CLI')).toBe('/tools/kilo?do=configure')
    expect(screen.getByText('https://other.example.com/v1')).toBeTruthy()
  })

  it('verify a configured tool, and link to the cause of a failure', async () => {
    const main = installMain({ 'tools.verify': () => badCheck })
    await renderInApp(<ToolRows tools={shown} />)
    await userEvent.click(screen.getByRole('button', { name: 'Test' }))
    await screen.findByText('The gateway rejected the key')
    expect(main.askedFor('tools.verify')).toEqual([{ toolId: 'claude-code' }])
  })
})
