import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProtocolRequest, ProtocolResponse, Session } from 'electron'
import { describe, expect, it } from 'vitest'
import { handlePageRequests, isOwnPage } from '../../../../src/main/app/window'
import { makeSharedFolder } from '../../support/folders'

const builtPageUrl = 'app://companion/index.html'
const dev = 'http://localhost:5173'

describe('isOwnPage', () => {
  it.each([
    [builtPageUrl, builtPageUrl],
    ['app://companion/', builtPageUrl],
    ['app://companion/index.html?settings=%7B%7D#/plans', builtPageUrl],
    ['http://localhost:5173/', dev],
  ])('recognizes %s as the page %s', (address, page) => {
    expect(isOwnPage(address, page)).toBe(true)
  })

  it.each([
    ['data:text/html,<p>other</p>', builtPageUrl],
    ['about:blank', builtPageUrl],
    ['about:srcdoc', builtPageUrl],
    ['file:///etc/passwd', builtPageUrl],
    ['app://evil/index.html', builtPageUrl],
    ['app://companion.evil/', builtPageUrl],
    ['blob:app://companion/7', builtPageUrl],
    ['devtools://companion/', builtPageUrl],
    ['', builtPageUrl],
    ['index.html', builtPageUrl],
    ['https://localhost:5173/', dev],
    ['http://localhost:5174/', dev],
    ['http://localhost/', dev],
  ])('rejects %s as a page of %s', (address, page) => {
    expect(isOwnPage(address, page)).toBe(false)
  })
})

describe('handlePageRequests', () => {
  const root = makeSharedFolder()
  const folder = join(root, 'renderer')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  const files = { 'renderer/index.html': '<title>é</title>', 'renderer/assets/a.js': 'run()', 'renderer/a.txt': 'x' }
  for (const [name, text] of Object.entries({ ...files, 'out.html': 'outside', 'renderer2.html': 'beside' }))
    writeFileSync(join(root, name), text)

  /** Requests a URL like the page. */
  function requestUrl(url: string): Promise<ProtocolResponse> {
    type Handler = (request: ProtocolRequest, answer: (response: ProtocolResponse) => void) => void
    return new Promise((resolve) => {
      const registerBufferProtocol = (scheme: string, handle: Handler): void => {
        expect(scheme).toBe('app')
        handle({ url } as ProtocolRequest, resolve)
      }
      const session = { protocol: { registerBufferProtocol } } as unknown as Session
      handlePageRequests(session, folder, async (page) => page.replace('</title>', ' drawn</title>'))
    })
  }

  it('renders the page, serves other files unchanged, and sets a content security policy on all', async () => {
    const page = await requestUrl(`${builtPageUrl}?a=1#/plans`)
    expect(page).toMatchObject({ mimeType: 'text/html', charset: 'utf-8' })
    expect(String(page.data)).toBe('<title>é drawn</title>')
    const script = await requestUrl('app://companion/assets/a.js')
    expect(script).toMatchObject({ mimeType: 'text/javascript', charset: 'utf-8' })
    expect(String(script.data)).toBe('run()')
    for (const { headers } of [page, script]) {
      expect(headers?.['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
      expect(headers?.['x-content-type-options']).toBe('nosniff')
    }
  })

  it.each([
    'app://companion/gone.js',
    'app://companion/a.txt',
    'app://companion/..%2fout.html',
    'app://companion/%2e%2e%2fout.html',
    'app://companion/assets/..%2f..%2fout.html',
    'app://companion/..%2frenderer2.html',
    'app://companion/%',
    'app://other/index.html',
  ])('serves nothing at %s', async (url) => {
    expect(await requestUrl(url)).toEqual({ statusCode: 404, data: Buffer.alloc(0) })
  })
})
