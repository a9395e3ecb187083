import { describe, expect, it } from 'vitest'
import { isOwnPage } from '../../../../src/main/app/window'

const built = 'app://companion/index.html'
const dev = 'http://localhost:5173'

describe('isOwnPage', () => {
  it.each([
    [built, built],
    ['app://companion/', built],
    ['app://companion/index.html?settings=%7B%7D#/plans', built],
    ['http://localhost:5173/', dev],
  ])('knows %s as the page %s', (address, page) => {
    expect(isOwnPage(address, page)).toBe(true)
  })

  it.each([
    ['data:text/html,<p>other</p>', built],
    ['about:blank', built],
    ['about:srcdoc', built],
    ['file:///etc/passwd', built],
    ['app://evil/index.html', built],
    ['app://companion.evil/', built],
    ['blob:app://companion/7', built],
    ['devtools://companion/', built],
    ['', built],
    ['index.html', built],
    ['https://localhost:5173/', dev],
    ['http://localhost:5174/', dev],
    ['http://localhost/', dev],
  ])('takes %s for no page of %s', (address, page) => {
    expect(isOwnPage(address, page)).toBe(false)
  })
})
