import type { PageStart } from '@shared/first-screen'
import { describe, expect, it } from 'vitest'
import { drawFirstScreen } from '../../../../src/main/app/first-screen'

const page = '<html lang="en"><title>App</title><div inert id="first-screen"></div></html>'

const buildStart = (view: Partial<PageStart['view']> = {}, counts: Partial<PageStart> = {}): PageStart => ({
  ...{ plans: 0, connections: 0, ...counts },
  view: {
    ...{ theme: 'system', language: 'system', locale: 'en', railCollapsed: false, zoomPercent: 100, welcomed: true },
    ...view,
  },
})

/** Builds the first screen with the names of prerendered screens in place of their HTML. */
const draw = (start: PageStart, pageOptions: { path?: string; width?: number } = {}) =>
  drawFirstScreen(page, {
    ...{ start, path: '/', width: 1280, ...pageOptions },
    read: async (name) => (/welcome|home/.test(name) ? name : `${name}:<i></i>`),
  })

const readScreenHtml = (drawn: string): string | undefined => /id="first-screen">(.*)<\/div>/.exec(drawn)?.[1]

describe('the first screen', () => {
  it('is optional for the page', async () => {
    const read = () => Promise.reject(new Error('ENOENT'))
    const drawn = await drawFirstScreen(page, { start: buildStart(), path: '/', width: 1280, read })
    expect(readScreenHtml(drawn)).toBe('')
    expect(drawn).toContain('<meta name="companion-start"')
  })

  it.each([
    [buildStart({ welcomed: false }), {}, 'en-welcome'],
    [buildStart({ welcomed: false, locale: 'vi' }), { path: '/plans' }, 'vi-wide:'],
    [buildStart(), { path: '/welcome' }, 'en-welcome'],
    [buildStart(), {}, 'en-wide:en-home-empty'],
    [buildStart({ locale: 'vi' }, { plans: 3 }), {}, 'vi-wide:vi-home-3'],
    [buildStart({}, { plans: 500, connections: 2 }), {}, 'en-wide-platform:en-home-5'],
    [buildStart({}, { connections: 1 }), {}, 'en-wide-platform:en-home-2'],
    [buildStart({ railCollapsed: true }, { plans: 1 }), {}, 'en-collapsed:en-home-1'],
    [buildStart({ railCollapsed: true }), { width: 640 }, 'en-narrow:en-home-empty'],
    [buildStart(), { path: '/usage?plan=1' }, 'en-wide:'],
    [buildStart({ shortcuts: { palette: 'Mod+P' } }), {}, ''],
  ])('of %j at %j is %s', async (start, pageOptions, expected) => {
    expect(readScreenHtml(await draw(start, pageOptions))).toBe(expected)
  })

  it('is drawn in the chosen language and theme with the cached data', async () => {
    const start = buildStart({ theme: 'dark', locale: 'vi', newsSeen: '1"><script>&amp;</script>' })
    const drawn = await draw(start)
    expect(drawn).toContain('<html lang="vi" data-theme="dark">')
    expect(drawn).not.toContain('<script>')
    const [, escapedStart = ''] = /<meta name="companion-start" content="([^"]*)" \/>/.exec(drawn) ?? []
    const startJson = escapedStart.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
    expect(JSON.parse(startJson)).toEqual(start)
  })

  it('leaves the theme to the system by default', async () => {
    expect(await draw(buildStart())).toContain('<html lang="en">')
  })
})
