import { MetricsView } from '@shared/contract'
import { expect, it } from 'vitest'
import { createAccountHarness } from './account-desk'

it('switches the Prometheus page on and off and prints its token', async () => {
  const harness = await createAccountHarness()
  expect((await harness.run('metrics status')).out).toBe('Prometheus: off\nOTLP: off\n')
  const enabledMetrics = await harness.run('--json metrics on')
  expect(MetricsView.parse(JSON.parse(enabledMetrics.out)).prometheus.isOn).toBe(true)
  const token = (await harness.run('metrics token')).out.trim()
  expect(token).toMatch(/^relay-[\w-]{43}$/)
  expect((await harness.run('metrics token')).out.trim()).toBe(token)
  expect((await harness.run('metrics off')).out).toContain('Prometheus: off')
})

it('sends to a collector after a confirmation, with a secret from standard input only', async () => {
  const harness = await createAccountHarness()
  const endpoint = 'https://collector.example.com:4318'
  const sendOutcome = await harness.run(['metrics', 'send', endpoint, '--spans', '--yes'])
  expect(sendOutcome.out).toContain(`OTLP: sent to ${endpoint}, with spans`)
  expect((await harness.run('metrics stop')).out).toContain('OTLP: off')
  const refusedCommands: [string[], string][] = [
    [['send', endpoint, '--auth', 'bearer', '--yes'], 'input.invalid'],
    [['send', endpoint, '--auth', 'header', '--yes'], 'input.invalid'],
    [['send', 'http://collector.example.com', '--yes'], 'address.insecure'],
  ]
  for (const [args, code] of refusedCommands)
    expect((await harness.run(['metrics', ...args])).failure).toMatchObject({ code })
})
