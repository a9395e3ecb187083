import { describe, expect, it } from 'vitest'
import { buildGuide, checkGuide } from '../../../../../src/main/tools/setups/verify'
import { guidedTarget } from '../../../../../src/main/tools/targets'
import { createHarness, key, plan } from './bench'

const cursor = guidedTarget('cursor')
const values = { planId: 'p1', modelCode: 'large' }

describe('manual setup instructions', () => {
  it('contain the fields of the tool’s form, with the key to copy', () => {
    const guide = buildGuide(cursor, values, createHarness().deps)
    expect(guide).toMatchObject({
      place: ['Cursor Settings', 'Models', 'API Keys'],
      fields: [
        { label: 'OpenAI API Key' },
        { label: 'Override OpenAI Base URL', value: 'https://gw.example.com/v1' },
        { label: 'Add or search model', value: 'large' },
      ],
      requestAddress: 'https://gw.example.com/v1/chat/completions',
    })
    expect(guide.fields[0]).not.toHaveProperty('value')
    expect(JSON.stringify(guide)).not.toContain(key.expose())
  })

  it('warn that the tool maker’s servers cannot reach a local gateway', () => {
    const gatewayUrl = 'http://127.0.0.1:4860'
    const { deps } = createHarness({ plans: [plan({ gatewayUrl })] })
    const warning = { code: 'remoteMaker', subject: gatewayUrl }
    expect(buildGuide(cursor, values, deps).warnings).toContainEqual(warning)
    expect(buildGuide(guidedTarget('cherry-studio'), values, deps).warnings).not.toContainEqual(warning)
    expect(JSON.stringify(buildGuide(cursor, values, createHarness().deps))).not.toContain('remoteMaker')
  })

  it('are verified with one request in the tool’s form, with the selected key', async () => {
    const { deps, asked } = createHarness()
    expect(await checkGuide(cursor, { ...values, keyId: 'k2' }, deps)).toMatchObject({ ok: true })
    expect(asked).toMatchObject([
      {
        standard: 'chat-completions',
        requestAddress: 'https://gw.example.com/v1/chat/completions',
        modelCode: 'large',
      },
    ])
    expect(asked[0]?.key.expose()).toBe(key.expose())
  })

  it('fail for a removed plan or key before anything is sent', async () => {
    const { deps, asked } = createHarness({ plans: [plan({ keys: [] })] })
    expect(() => buildGuide(cursor, { ...values, planId: 'none' }, deps)).toThrow('There is no plan none.')
    await expect(checkGuide(cursor, values, deps)).rejects.toMatchObject({ failure: { code: 'key.notFound' } })
    expect(asked).toEqual([])
  })
})
