import type { FirstScreenData } from '@shared/first-screen'
import { describe, expect, it } from 'vitest'
import { insertFirstScreen } from '../../../../src/main/app/first-screen'

const page = '<html lang="en"><title>App</title><div inert id="first-screen"></div></html>'

const buildStart = (
  view: Partial<FirstScreenData['view']> = {},
  counts: Partial<FirstScreenData> = {},
): FirstScreenData => ({
  plans: 0,
  connections: 0,
  ...counts,
  view: {
    theme: 'system',
    language: 'system',
    locale: 'en',
    railCollapsed: false,
    zoomPercent: 100,
    welcomed: true,
    ...view,
  },
})

/** Builds the first screen with the names of prerendered screens in place of their HTML. */
const renderFirstScreen = (start: FirstScreenData, pageOptions: { path?: string; width?: number } = {}) =>
  insertFirstScreen(page, {
    start,
    path: '/',
    width: 1280,
    ...pageOptions,
    read: async (name) => (/welcome|home/.test(name) ? name : `${name}:<i></i>`),
  })

const extractScreenHtml = (drawn: string): string | undefined => /id="first-screen">(.*)<\/div>/.exec(drawn)?.[1]

describe('the first screen', () => {
  it('is optional for the page', async () => {
    const read = () => Promise.reject(new Error('ENOENT'))
    const renderedPage = await insertFirstScreen(page, { start: buildStart(), path: '/', width: 1280, read })
    expect(extractScreenHtml(renderedPage)).toBe('')
    expect(renderedPage).toContain('<meta name="companion-start"')
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
    expect(extractScreenHtml(await renderFirstScreen(start, pageOptions))).toBe(expected)
  })

  it('is drawn in the chosen language and theme with the cached data', async () => {
    const startData = buildStart({ theme: 'dark', locale: 'vi', newsSeen: '1"><script>&amp;</script>' })
    const renderedPage = await renderFirstScreen(startData)
    expect(renderedPage).toContain('<html lang="vi" data-theme="dark">')
    expect(renderedPage).not.toContain('<script>')
    const [, escapedStart = ''] = /<meta name="companion-start" content="([^"]*)" \/>/.exec(renderedPage) ?? []
    const startJson = escapedStart.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
    expect(JSON.parse(startJson)).toEqual(startData)
  })

  it('leaves the theme to the system by default', async () => {
    expect(await renderFirstScreen(buildStart())).toContain('<html lang="en">')
  })
})
