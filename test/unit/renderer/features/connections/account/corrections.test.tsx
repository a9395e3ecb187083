import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Corrections } from '../../../../../../src/renderer/features/connections/account/plan-fields'
import { installMain, renderInApp } from '../../../support/fake-main'

it.each([
  ['http://localhost:4860', 'http:// added'],
  ['https://gateway.example.com', 'https:// added'],
])('names the scheme added to %s', async (url, text) => {
  installMain({})
  const baseAddresses = { 'chat-completions': url, messages: url }
  await renderInApp(
    <Corrections address={{ url, corrections: ['schemeAdded'], bases: baseAddresses, requests: baseAddresses }} />,
  )
  expect(screen.getByText(new RegExp(text)).textContent).toContain(url)
})
