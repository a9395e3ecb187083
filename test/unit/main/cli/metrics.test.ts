import { MetricsView } from '@shared/contract'
import { expect, it } from 'vitest'
import { accountDesk } from './account-desk'

it('switches the Prometheus page on and off and prints its token', async () => {
  const desk = await accountDesk()
  expect((await desk.run(['metrics', 'status'])).out).toBe('Prometheus: off\nOTLP: off\n')
  const on = await desk.run(['--json', 'metrics', 'on'])
  expect(MetricsView.parse(JSON.parse(on.out)).prometheus.isOn).toBe(true)
  const token = (await desk.run(['metrics', 'token'])).out.trim()
  expect(token).toMatch(/^relay-[\w-]{43}$/)
  expect((await desk.run(['metrics', 'token'])).out.trim()).toBe(token)
  expect((await desk.run(['metrics', 'off'])).out).toContain('Prometheus: off')
})

it('sends to a collector after a confirmation, with a secret from standard input only', async () => {
  const desk = await accountDesk()
  const endpoint = 'https://collector.example.com:4318'
  const sent = await desk.run(['metrics', 'send', endpoint, '--spans', '--yes'])
  expect(sent.out).toContain(`OTLP: sent to ${endpoint}, with spans`)
  expect((await desk.run(['metrics', 'stop'])).out).toContain('OTLP: off')
  const refused: [string[], string][] = [
    [['send', endpoint, '--auth', 'bearer', '--yes'], 'input.invalid'],
    [['send', endpoint, '--auth', 'header', '--yes'], 'input.invalid'],
    [['send', 'http://collector.example.com', '--yes'], 'address.insecure'],
  ]
  for (const [args, code] of refused) expect((await desk.run(['metrics', ...args])).failure).toMatchObject({ code })
})
