import { expect, test } from '../support/app'

test('the page is sandboxed, isolated and without Node', async ({ start }) => {
  const { app, page } = await start()
  const preferences = await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    return (contents as unknown as { getLastWebPreferences(): Record<string, unknown> }).getLastWebPreferences()
  })
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
  })
  const globals = await page.evaluate(() =>
    ['require', 'process', 'module', 'Buffer', 'electron', 'ipcRenderer'].filter((name) => name in globalThis),
  )
  expect(globals).toEqual([])
  expect(
    await page.evaluate(() => Object.keys((globalThis as unknown as { companion: object }).companion).sort()),
  ).toEqual(['call', 'on'])
})

test('navigation, new windows, remote content, inline scripts and permissions are denied', async ({ start }) => {
  const { app, page } = await start()
  const before = page.url()
  const refusals = await page.evaluate(async () => {
    const inline = document.createElement('script')
    inline.textContent = 'globalThis.ranInline = true'
    document.head.append(inline)
    const remote = await fetch('https://example.com/').then(
      () => 'loaded',
      () => 'refused',
    )
    const image = await new Promise((resolve) => {
      const element = new Image()
      element.onload = () => resolve('loaded')
      element.onerror = () => resolve('refused')
      element.src = 'http://127.0.0.1:9/x.png'
    })
    const evaluated = (() => {
      try {
        return new Function('return 1')()
      } catch {
        return 'refused'
      }
    })()
    const notifications = await Notification.requestPermission()
    const opened = window.open('https://example.com/')
    return { inline: 'ranInline' in globalThis, remote, image, evaluated, notifications, opened }
  })
  expect(refusals).toEqual({
    inline: false,
    remote: 'refused',
    image: 'refused',
    evaluated: 'refused',
    notifications: 'denied',
    opened: null,
  })
  await page.evaluate(() => {
    location.href = 'https://example.com/'
  })
  await page.evaluate(() => {
    const link = document.createElement('a')
    link.href = 'file:///etc/passwd'
    document.body.append(link)
    link.click()
  })
  await expect.poll(() => page.url()).toBe(before)
  expect(app.windows()).toHaveLength(1)
})

test('the page serves its own files and nothing outside of its folder', async ({ start }) => {
  const { page } = await start()
  const statuses = await page.evaluate(async () => {
    const paths = ['/index.html', '/../main/index.cjs', '/..%2fmain%2findex.cjs', '/%2e%2e/main/cli.cjs', '/none.js']
    const ask = (path: string) =>
      fetch(`app://companion${path}`).then(
        ({ status }) => status,
        () => 0,
      )
    return Promise.all(paths.map(ask))
  })
  expect(statuses).toEqual([200, 404, 404, 404, 404])
})

test('a call from any other page is refused, and an unknown method too', async ({ start }) => {
  const { app, page } = await start()
  const foreign = await app.evaluate(
    async ({ BrowserWindow }, preload) => {
      const window = new BrowserWindow({
        show: false,
        webPreferences: { preload, sandbox: true, contextIsolation: true },
      })
      await window.loadURL('data:text/html,<p>other</p>').catch(() => undefined)
      const answer: unknown = await window.webContents.executeJavaScript(
        "window.companion ? window.companion.call('app.get', {}) : 'no bridge'",
      )
      window.destroy()
      return answer
    },
    await app.evaluate(({ app: electronApp }) => `${electronApp.getAppPath()}/out/preload/index.cjs`),
  )
  expect(foreign).toMatchObject({ ok: false, error: { code: 'bridge.denied' } })
  const unknown = await page.evaluate(() =>
    (globalThis as unknown as { companion: { call(name: string, input: unknown): unknown } }).companion.call(
      'plans.steal',
      {},
    ),
  )
  expect(unknown).toMatchObject({ ok: false, error: { code: 'bridge.unknownMethod' } })
})
